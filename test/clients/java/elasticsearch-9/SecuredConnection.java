import co.elastic.clients.elasticsearch.ElasticsearchClient;
import javax.net.ssl.SSLContext;

/** How the client of version 9 is made for a node with TLS, by each kind of credentials. */
class SecuredConnection {
  static ElasticsearchClient byPassword(String url, SSLContext trusted, String user, String password) {
    return ElasticsearchClient.of(builder -> builder.host(url).sslContext(trusted).usernameAndPassword(user, password));
  }

  static ElasticsearchClient byKey(String url, SSLContext trusted, String encoded) {
    return ElasticsearchClient.of(builder -> builder.host(url).sslContext(trusted).apiKey(encoded));
  }

  static ElasticsearchClient byToken(String url, SSLContext trusted, String token) {
    return ElasticsearchClient.of(builder -> builder.host(url).sslContext(trusted).token(token));
  }
}
