import java.util.Map;
import org.apache.hc.core5.http.HttpHost;
import org.opensearch.client.opensearch.OpenSearchClient;
import org.opensearch.client.opensearch._types.Refresh;
import org.opensearch.client.opensearch.core.BulkRequest;
import org.opensearch.client.transport.httpclient5.ApacheHttpClient5TransportBuilder;

/** What a program with the typed client of OpenSearch 2 or 3 does; it refuses answers without the members that it requires. */
public class OpenSearchJava {
  public static void main(String[] arguments) throws Exception {
    try (var transport = ApacheHttpClient5TransportBuilder.builder(HttpHost.create(arguments[0])).build()) {
      OpenSearchClient client = new OpenSearchClient(transport);
      System.out.println("info " + client.info().version().number());
      client.indices().create(create -> create.index("films").mappings(mappings -> mappings
          .properties("title", property -> property.text(text -> text))
          .properties("genre", property -> property.keyword(keyword -> keyword))
          .properties("rating", property -> property.float_(number -> number))));
      BulkRequest.Builder request = new BulkRequest.Builder().index("films").refresh(Refresh.True);
      for (int n = 0; n < 10; n++) {
        int rating = n;
        request.operations(operation -> operation.index(index -> index.id("" + rating)
            .document(Map.of("title", "film " + rating, "genre", rating < 4 ? "crime" : "drama", "rating", rating))));
      }
      var bulk = client.bulk(request.build());
      System.out.println("bulk " + bulk.items().size() + " " + bulk.errors());
      var found = client.search(search -> search.index("films").size(1).query(query -> query.match(match -> match
          .field("title").query(value -> value.stringValue("film")))).aggregations("genres", genres -> genres
          .terms(terms -> terms.field("genre")).aggregations("rated", rated -> rated.avg(average -> average
          .field("rating")))), Map.class);
      var genre = found.aggregations().get("genres").sterms().buckets().array().get(0);
      System.out.println("search " + found.hits().total().value() + " " + genre.docCount() + " "
          + genre.aggregations().get("rated").avg().value());
      System.out.println("get " + client.get(get -> get.index("films").id("3"), Map.class).source().get("genre"));
      System.out.println("missing " + client.get(get -> get.index("films").id("none"), Map.class).found());
      System.out.println("nodes.info " + client.nodes().info().nodes().size());
      System.out.println("nodes.stats " + client.nodes().stats().nodes().size());
      System.out.println("cluster.stats " + client.cluster().stats().indices().count());
      System.out.println("cluster.health " + client.cluster().health().numberOfNodes());
      System.out.println("indices.stats " + client.indices().stats().indices().get("films").primaries().docs().count());
      System.out.println("mapping " + client.indices().getMapping(get -> get.index("films")).result().get("films").mappings().properties().size());
      System.out.println("cat " + client.cat().indices().valueBody().size());
      System.out.println("cat.nodes " + client.cat().nodes().valueBody().size());
    }
  }
}
