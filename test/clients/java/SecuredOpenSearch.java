import java.io.FileInputStream;
import java.io.InputStream;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.message.BasicHeader;
import org.opensearch.client.opensearch.OpenSearchClient;
import org.opensearch.client.opensearch._types.OpenSearchException;
import org.opensearch.client.opensearch._types.Refresh;
import org.opensearch.client.opensearch.generic.Requests;
import org.opensearch.client.transport.httpclient5.ApacheHttpClient5TransportBuilder;

/** What the client of OpenSearch 2 or 3 does with a node that has TLS and asks who it is: a password, an API key, a token, and what is refused. */
public class SecuredOpenSearch {
  interface Call {
    void run() throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    HttpHost host = HttpHost.create(arguments[0]);
    String user = arguments[2];
    String password = arguments[3];
    SSLContext trusted = trusting(arguments[1]);
    OpenSearchClient admin = byPassword(host, trusted, user, password);
    admin.index(index -> index.index("films").id("1").document(Map.of("title", "one")).refresh(Refresh.True));
    System.out.println("admin " + member("username", send(admin, "GET", "/_security/_authenticate", null)));
    String role = "{\"name\":\"reads\",\"role_descriptors\":{\"reads\":{\"indices\":[{\"names\":[\"films\"],\"privileges\":[\"read\"]}]}}}";
    String encoded = member("encoded", send(admin, "POST", "/_security/api_key", role));
    OpenSearchClient key = byHeader(host, trusted, "ApiKey " + encoded);
    System.out.println("key " + member("authentication_type", send(key, "GET", "/_security/_authenticate", null)));
    System.out.println("found " + key.search(search -> search.index("films"), Map.class).hits().total().value());
    String asked = "{\"grant_type\":\"client_credentials\"}";
    String token = member("access_token", send(admin, "POST", "/_security/oauth2/token", asked));
    OpenSearchClient bearer = byHeader(host, trusted, "Bearer " + token);
    System.out.println("token " + member("authentication_type", send(bearer, "GET", "/_security/_authenticate", null)));
    OpenSearchClient wrong = byPassword(host, trusted, user, "not-" + password);
    System.out.println("wrong " + refusal(() -> wrong.info()));
    System.out.println("more " + refusal(() -> key.indices().delete(delete -> delete.index("films"))));
    OpenSearchClient distrusting = byPassword(host, SSLContext.getDefault(), user, password);
    System.out.println("distrusted " + refusal(() -> distrusting.info()));
    for (OpenSearchClient each : new OpenSearchClient[] {admin, key, bearer, wrong, distrusting}) each._transport().close();
  }

  private static SSLContext trusting(String authority) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream file = new FileInputStream(authority)) {
      store.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(file));
    }
    TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  private static OpenSearchClient byPassword(HttpHost host, SSLContext trusted, String user, String password) {
    var credentials = new BasicCredentialsProvider();
    credentials.setCredentials(new AuthScope(host), new UsernamePasswordCredentials(user, password.toCharArray()));
    return over(ApacheHttpClient5TransportBuilder.builder(host).setHttpClientConfigCallback(client -> client
        .setDefaultCredentialsProvider(credentials).setConnectionManager(PoolingAsyncClientConnectionManagerBuilder.create()
        .setTlsStrategy(ClientTlsStrategyBuilder.create().setSslContext(trusted).build()).build())));
  }

  private static OpenSearchClient byHeader(HttpHost host, SSLContext trusted, String value) {
    return over(ApacheHttpClient5TransportBuilder.builder(host).setDefaultHeaders(new Header[] {new BasicHeader("Authorization", value)})
        .setHttpClientConfigCallback(client -> client.setConnectionManager(PoolingAsyncClientConnectionManagerBuilder.create()
        .setTlsStrategy(ClientTlsStrategyBuilder.create().setSslContext(trusted).build()).build())));
  }

  private static OpenSearchClient over(ApacheHttpClient5TransportBuilder builder) {
    return new OpenSearchClient(builder.build());
  }

  private static String send(OpenSearchClient client, String method, String path, String body) throws Exception {
    var request = Requests.builder().method(method).endpoint(path);
    if (body != null) request.json(body);
    try (var response = client.generic().execute(request.build())) {
      return response.getBody().get().bodyAsString();
    }
  }

  /** The text of a member of an object. */
  private static String member(String name, String object) {
    var found = java.util.regex.Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(object);
    return found.find() ? found.group(1) : object;
  }

  /** The status of an answer, or what is wrong with the connection. */
  private static String refusal(Call call) throws Exception {
    try {
      call.run();
      return "nothing";
    } catch (OpenSearchException error) {
      return "" + error.status();
    } catch (javax.net.ssl.SSLHandshakeException error) {
      return "handshake";
    } catch (java.io.IOException error) {
      // The client does not read such answers.
      if ("Unauthorized access".equals(error.getMessage())) return "401";
      if ("Forbidden access".equals(error.getMessage())) return "403";
      throw error;
    }
  }
}
