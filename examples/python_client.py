"""Index and search with the official Python client."""
import os

from elasticsearch import Elasticsearch
from elasticsearch.helpers import bulk

client = Elasticsearch(os.environ.get("QUARRY_URL", "http://localhost:9200"))
index = "example-books"

client.indices.delete(index=index, ignore_unavailable=True)
client.indices.create(
    index=index,
    settings={"number_of_replicas": 0},
    mappings={"properties": {"title": {"type": "text"}, "author": {"type": "keyword"}, "year": {"type": "integer"}}},
)

books = [
    {"title": "The Left Hand of Darkness", "author": "Ursula K. Le Guin", "year": 1969},
    {"title": "The Dispossessed", "author": "Ursula K. Le Guin", "year": 1974},
    {"title": "Heart of Darkness", "author": "Joseph Conrad", "year": 1899},
]
bulk(client, ({"_index": index, "_id": str(at), "_source": book} for at, book in enumerate(books, 1)), refresh=True)

found = client.search(
    index=index,
    query={"bool": {"must": {"match": {"title": "darkness"}}, "filter": {"range": {"year": {"gte": 1900}}}}},
    aggs={"authors": {"terms": {"field": "author"}}},
)
for hit in found["hits"]["hits"]:
    print(f"{hit['_id']}: {hit['_source']['title']} ({hit['_source']['year']})")
for bucket in found["aggregations"]["authors"]["buckets"]:
    print(f"{bucket['key']}: {bucket['doc_count']}")

client.close()
