import co.elastic.clients.elasticsearch.ElasticsearchClient;
import co.elastic.clients.elasticsearch._types.ElasticsearchException;
import co.elastic.clients.elasticsearch._types.Refresh;
import co.elastic.clients.elasticsearch.security.get_token.AccessTokenGrantType;
import co.elastic.clients.transport.TransportUtils;
import java.io.File;
import java.util.Map;
import javax.net.ssl.SSLContext;

/** What the typed client of Elasticsearch 8 or 9 does with a node that has TLS and asks who it is: a password, an API key, a token, and what is refused. */
public class SecuredElasticsearch {
  interface Call {
    void run() throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    String url = arguments[0];
    String user = arguments[2];
    String password = arguments[3];
    SSLContext trusted = TransportUtils.sslContextFromHttpCaCrt(new File(arguments[1]));
    ElasticsearchClient admin = SecuredConnection.byPassword(url, trusted, user, password);
    admin.index(index -> index.index("films").id("1").document(Map.of("title", "one")).refresh(Refresh.True));
    System.out.println("admin " + admin.security().authenticate().username());
    String encoded = admin.security().createApiKey(key -> key.name("reads").roleDescriptors("reads", role -> role
        .indices(indices -> indices.names("films").privileges("read")))).encoded();
    ElasticsearchClient key = SecuredConnection.byKey(url, trusted, encoded);
    System.out.println("key " + key.security().authenticate().authenticationType());
    System.out.println("keys " + admin.security().queryApiKeys(query -> query).count());
    System.out.println("found " + key.search(search -> search.index("films"), Map.class).hits().total().value());
    String token = admin.security().getToken(asked -> asked.grantType(AccessTokenGrantType.ClientCredentials)).accessToken();
    ElasticsearchClient bearer = SecuredConnection.byToken(url, trusted, token);
    System.out.println("token " + bearer.security().authenticate().authenticationType());
    System.out.println("roles " + admin.security().getRole().get("superuser").runAs());
    System.out.println("user " + admin.security().putUser(made -> made.username("jane").password("janes-password").roles("viewer")).created());
    System.out.println("users " + admin.security().getUser(asked -> asked.username("jane")).get("jane").roles());
    System.out.println("certificates " + (admin.ssl().certificates() != null));
    ElasticsearchClient wrong = SecuredConnection.byPassword(url, trusted, user, "not-" + password);
    System.out.println("wrong " + refusal(() -> wrong.info()));
    System.out.println("more " + refusal(() -> key.indices().delete(delete -> delete.index("films"))));
    ElasticsearchClient distrusting = SecuredConnection.byPassword(url, SSLContext.getDefault(), user, password);
    System.out.println("distrusted " + refusal(() -> distrusting.info()));
    for (ElasticsearchClient each : new ElasticsearchClient[] {admin, key, bearer, wrong, distrusting}) each._transport().close();
  }

  /** The status of an answer, or what is wrong with the connection. */
  private static String refusal(Call call) throws Exception {
    try {
      call.run();
      return "nothing";
    } catch (ElasticsearchException error) {
      return "" + error.status();
    } catch (javax.net.ssl.SSLHandshakeException error) {
      return "handshake";
    }
  }
}
