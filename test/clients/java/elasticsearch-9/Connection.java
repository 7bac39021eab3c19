import co.elastic.clients.elasticsearch.ElasticsearchClient;

/** How the client of version 9 is made. */
class Connection {
  static ElasticsearchClient to(String url) {
    return ElasticsearchClient.of(builder -> builder.host(url));
  }
}
