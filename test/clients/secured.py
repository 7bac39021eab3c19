"""What the official Python clients do with a node that has TLS and asks who they are: a password, an API key, a token, and what is refused.

Arguments: product, address, file of the authority, user, password. Prints one object."""

import json
import sys

product, url, authority, user, password = sys.argv[1:]

if product == "elasticsearch":
    from elasticsearch import AuthenticationException, AuthorizationException, Elasticsearch

    def client(**auth):
        return Elasticsearch(url, ca_certs=authority, **auth)

    def by_password(name, secret):
        return client(basic_auth=(name, secret))

    def by_key(encoded):
        return client(api_key=encoded)

    def by_token(token):
        return client(bearer_auth=token)

    def send(to, method, path, body=None):
        headers = {"accept": "application/json", "content-type": "application/json"}
        return to.perform_request(method, path, headers=headers, body=body).body

else:
    from opensearchpy import AuthenticationException, AuthorizationException, OpenSearch

    def client(**more):
        return OpenSearch(url, ca_certs=authority, verify_certs=True, **more)

    def by_password(name, secret):
        return client(http_auth=(name, secret))

    def by_key(encoded):
        return client(headers={"Authorization": "ApiKey " + encoded})

    def by_token(token):
        return client(headers={"Authorization": "Bearer " + token})

    def send(to, method, path, body=None):
        return to.transport.perform_request(method, path, body=body)


def refusal(act):
    try:
        act()
    except (AuthenticationException, AuthorizationException) as error:
        return type(error).__name__
    return "nothing"


admin = by_password(user, password)
admin.index(index="films", id="1", body={"title": "one"}, params={"refresh": "true"})
role = {"reads": {"indices": [{"names": ["films"], "privileges": ["read"]}]}}
key = by_key(send(admin, "POST", "/_security/api_key", {"name": "reads", "role_descriptors": role})["encoded"])
token = send(admin, "POST", "/_security/oauth2/token", {"grant_type": "client_credentials"})["access_token"]
print(
    json.dumps(
        {
            "admin": send(admin, "GET", "/_security/_authenticate")["username"],
            "key": send(key, "GET", "/_security/_authenticate")["authentication_type"],
            "token": send(by_token(token), "GET", "/_security/_authenticate")["authentication_type"],
            "found": key.search(index="films", body={"query": {"match_all": {}}})["hits"]["total"]["value"],
            "wrong": refusal(lambda: send(by_password(user, "not-" + password), "GET", "/_cluster/health")),
            "more": refusal(lambda: send(key, "DELETE", "/films")),
        }
    )
)
