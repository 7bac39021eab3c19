import java.util.Map;
import org.apache.http.HttpHost;
import org.elasticsearch.action.bulk.BulkRequest;
import org.elasticsearch.action.bulk.BulkResponse;
import org.elasticsearch.action.get.GetRequest;
import org.elasticsearch.action.index.IndexRequest;
import org.elasticsearch.action.search.SearchRequest;
import org.elasticsearch.action.search.SearchResponse;
import org.elasticsearch.action.support.WriteRequest;
import org.elasticsearch.action.admin.cluster.health.ClusterHealthRequest;
import org.elasticsearch.action.update.UpdateRequest;
import org.elasticsearch.client.RequestOptions;
import org.elasticsearch.client.RestClient;
import org.elasticsearch.client.RestHighLevelClient;
import org.elasticsearch.client.RestHighLevelClientBuilder;
import org.elasticsearch.client.indices.CreateIndexRequest;
import org.elasticsearch.client.indices.GetMappingsRequest;
import org.elasticsearch.index.query.QueryBuilders;
import org.elasticsearch.search.aggregations.AggregationBuilders;
import org.elasticsearch.search.aggregations.bucket.terms.Terms;
import org.elasticsearch.search.aggregations.metrics.Avg;
import org.elasticsearch.search.builder.SearchSourceBuilder;

/** What a program with the high-level client of 7.17 does, in its mode for servers of version 8. */
public class HighLevel {
  public static void main(String[] arguments) throws Exception {
    RequestOptions plain = RequestOptions.DEFAULT;
    RestClient low = RestClient.builder(HttpHost.create(arguments[0])).build();
    try (RestHighLevelClient client = new RestHighLevelClientBuilder(low).setApiCompatibilityMode(true).build()) {
      System.out.println("info " + client.info(plain).getVersion().getNumber());
      client.indices().create(new CreateIndexRequest("films").mapping(Map.of("properties", Map.of(
          "title", Map.of("type", "text"), "genre", Map.of("type", "keyword"), "rating", Map.of("type", "float")))), plain);
      BulkRequest request = new BulkRequest("films").setRefreshPolicy(WriteRequest.RefreshPolicy.IMMEDIATE);
      for (int n = 0; n < 10; n++) {
        request.add(new IndexRequest().id("" + n).source("title", "film " + n, "genre", n < 4 ? "crime" : "drama", "rating", n));
      }
      BulkResponse bulk = client.bulk(request, plain);
      System.out.println("bulk " + bulk.getItems().length + " " + bulk.hasFailures() + " " + bulk.getItems()[0].getType());
      SearchResponse found = client.search(new SearchRequest("films").source(new SearchSourceBuilder().size(1)
          .query(QueryBuilders.matchQuery("title", "film")).aggregation(AggregationBuilders.terms("genres").field("genre")
          .subAggregation(AggregationBuilders.avg("rated").field("rating")))), plain);
      Terms.Bucket genre = ((Terms) found.getAggregations().get("genres")).getBuckets().get(0);
      System.out.println("search " + found.getHits().getTotalHits().value + " " + genre.getKeyAsString() + " "
          + genre.getDocCount() + " " + ((Avg) genre.getAggregations().get("rated")).getValue());
      System.out.println("hit " + found.getHits().getAt(0).getType());
      System.out.println("get " + client.get(new GetRequest("films", "3"), plain).getSource().get("genre"));
      System.out.println("missing " + client.get(new GetRequest("films", "none"), plain).isExists());
      System.out.println("update " + client.update(new UpdateRequest("films", "3").doc("rating", 9), plain).getResult());
      System.out.println("health " + client.cluster().health(new ClusterHealthRequest(), plain).getNumberOfNodes());
      System.out.println("mapping " + client.indices().getMapping(new GetMappingsRequest().indices("films"), plain)
          .mappings().get("films").sourceAsMap().size());
    }
  }
}
