import co.elastic.clients.elasticsearch.ElasticsearchClient;
import co.elastic.clients.json.jackson.JacksonJsonpMapper;
import co.elastic.clients.transport.rest_client.RestClientTransport;
import javax.net.ssl.SSLContext;
import org.apache.http.Header;
import org.apache.http.HttpHost;
import org.apache.http.auth.AuthScope;
import org.apache.http.auth.UsernamePasswordCredentials;
import org.apache.http.impl.client.BasicCredentialsProvider;
import org.apache.http.message.BasicHeader;
import org.elasticsearch.client.RestClient;

/** How the client of version 8 is made for a node with TLS, by each kind of credentials. */
class SecuredConnection {
  static ElasticsearchClient byPassword(String url, SSLContext trusted, String user, String password) {
    var credentials = new BasicCredentialsProvider();
    credentials.setCredentials(AuthScope.ANY, new UsernamePasswordCredentials(user, password));
    return over(RestClient.builder(HttpHost.create(url)).setHttpClientConfigCallback(client -> client
        .setSSLContext(trusted).setDefaultCredentialsProvider(credentials)).build());
  }

  static ElasticsearchClient byKey(String url, SSLContext trusted, String encoded) {
    return byHeader(url, trusted, "ApiKey " + encoded);
  }

  static ElasticsearchClient byToken(String url, SSLContext trusted, String token) {
    return byHeader(url, trusted, "Bearer " + token);
  }

  private static ElasticsearchClient byHeader(String url, SSLContext trusted, String value) {
    return over(RestClient.builder(HttpHost.create(url)).setDefaultHeaders(new Header[] {new BasicHeader("Authorization", value)})
        .setHttpClientConfigCallback(client -> client.setSSLContext(trusted)).build());
  }

  private static ElasticsearchClient over(RestClient low) {
    return new ElasticsearchClient(new RestClientTransport(low, new JacksonJsonpMapper()));
  }
}
