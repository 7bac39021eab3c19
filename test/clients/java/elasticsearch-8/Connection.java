import co.elastic.clients.elasticsearch.ElasticsearchClient;
import co.elastic.clients.json.jackson.JacksonJsonpMapper;
import co.elastic.clients.transport.rest_client.RestClientTransport;
import org.apache.http.HttpHost;
import org.elasticsearch.client.RestClient;

/** How the client of version 8 is made. */
class Connection {
  static ElasticsearchClient to(String url) {
    RestClient low = RestClient.builder(HttpHost.create(url)).build();
    return new ElasticsearchClient(new RestClientTransport(low, new JacksonJsonpMapper()));
  }
}
