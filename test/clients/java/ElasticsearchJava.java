import co.elastic.clients.elasticsearch.ElasticsearchClient;
import co.elastic.clients.elasticsearch._types.Refresh;
import co.elastic.clients.elasticsearch.core.BulkResponse;
import java.util.Map;

/** What a program with the typed client of Elasticsearch 8 or 9 does; it refuses answers without the members that it requires. */
public class ElasticsearchJava {
  public static void main(String[] arguments) throws Exception {
    ElasticsearchClient client = Connection.to(arguments[0]);
    try (var transport = client._transport()) {
      System.out.println("info " + client.info().version().number());
      client.indices().create(create -> create.index("films").mappings(mappings -> mappings
          .properties("title", property -> property.text(text -> text))
          .properties("genre", property -> property.keyword(keyword -> keyword))
          .properties("rating", property -> property.float_(number -> number))));
      BulkResponse bulk = client.bulk(request -> {
        request.index("films").refresh(Refresh.True);
        for (int n = 0; n < 10; n++) {
          int rating = n;
          request.operations(operation -> operation.index(index -> index.id("" + rating)
              .document(Map.of("title", "film " + rating, "genre", rating < 4 ? "crime" : "drama", "rating", rating))));
        }
        return request;
      });
      System.out.println("bulk " + bulk.items().size() + " " + bulk.errors());
      var found = client.search(search -> search.index("films").size(1).query(query -> query.match(match -> match
          .field("title").query("film"))).aggregations("genres", genres -> genres.terms(terms -> terms.field("genre"))
          .aggregations("rated", rated -> rated.avg(average -> average.field("rating")))), Map.class);
      var genre = found.aggregations().get("genres").sterms().buckets().array().get(0);
      System.out.println("search " + found.hits().total().value() + " " + genre.key().stringValue() + " "
          + genre.docCount() + " " + genre.aggregations().get("rated").avg().value());
      System.out.println("get " + client.get(get -> get.index("films").id("3"), Map.class).source().get("genre"));
      System.out.println("missing " + client.get(get -> get.index("films").id("none"), Map.class).found());
      System.out.println("nodes.info " + client.nodes().info().nodes().size());
      System.out.println("nodes.stats " + client.nodes().stats().nodes().size());
      System.out.println("cluster.stats " + client.cluster().stats().indices().count());
      System.out.println("cluster.health " + client.cluster().health().numberOfNodes());
      System.out.println("indices.stats " + client.indices().stats().indices().get("films").primaries().docs().count());
      System.out.println("mapping " + (client.indices().getMapping() != null));
      System.out.println("settings " + (client.indices().getSettings() != null));
      System.out.println("templates " + client.indices().getIndexTemplate().indexTemplates().size());
      System.out.println("parts " + !client.cluster().getComponentTemplate().componentTemplates().isEmpty());
      System.out.println("policies " + (client.ilm().getLifecycle() != null));
      client.index(index -> index.index("logs-app-default").document(Map.of("message", "hello")));
      System.out.println("streams " + client.indices().getDataStream().dataStreams().get(0).ilmPolicy());
      System.out.println("cat " + (client.cat().indices(cat -> cat.index("films")) != null));
      System.out.println("cat.nodes " + (client.cat().nodes() != null));
    }
  }
}
