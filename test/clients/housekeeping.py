"""Housekeeping as Curator does it, with the official Python client: lists of indices by age, size and state, and what is done to them."""
import json, sys
from datetime import datetime, timezone
from elasticsearch import Elasticsearch, helpers, NotFoundError

es = Elasticsearch(sys.argv[1], request_timeout=30)
days = ['2024.01.01', '2024.01.02', '2024.01.03']
report = {'version': es.info()['version']['number']}
for at, day in enumerate(days):
    name = f'logs-{day}'
    es.indices.create(index=name, settings={'number_of_shards': 1, 'number_of_replicas': 0},
                      mappings={'properties': {'@timestamp': {'type': 'date'}, 'message': {'type': 'text'}}})
    helpers.bulk(es, ({'_index': name, '_id': str(n), '@timestamp': f'{day.replace(".", "-")}T00:00:0{n}Z', 'message': f'line {n}'}
                      for n in range(at + 1)), refresh=True)
report['scanned'] = sum(1 for _ in helpers.scan(es, index='logs-*', query={'query': {'match_all': {}}}))
# Lists of indices as Curator makes them: names, settings, statistics, state.
names = sorted(es.indices.get_settings(index='logs-*', expand_wildcards=['open', 'closed']).body)
settings = es.indices.get_settings(index=','.join(names))
created = {name: int(settings[name]['settings']['index']['creation_date']) for name in names}
now = datetime.now(timezone.utc).timestamp() * 1000
report['recent'] = sorted(name for name, at in created.items() if now - at < 3_600_000)
stats = es.indices.stats(index=','.join(names), metric=['store', 'docs'])
report['docs'] = {name: stats['indices'][name]['primaries']['docs']['count'] for name in names}
report['sized'] = all(stats['indices'][name]['primaries']['store']['size_in_bytes'] > 0 for name in names)
state = es.cluster.state(index=','.join(names), metric='metadata')
report['states'] = {name: state['metadata']['indices'][name]['state'] for name in names}
oldest = min(names)
es.indices.put_alias(index=oldest, name='oldest')
report['alias'] = sorted(es.indices.get_alias(name='oldest').body)
es.indices.put_settings(index=oldest, settings={'index.routing.allocation.require._name': None, 'index.blocks.write': True})
es.indices.forcemerge(index=oldest, max_num_segments=1)
report['segments'] = len(es.indices.segments(index=oldest)['indices'][oldest]['shards']['0'][0]['segments'])
es.indices.close(index=oldest)
report['closed'] = es.cat.indices(index=oldest, format='json', h='status')[0]['status']
es.indices.open(index=oldest)
es.cluster.health(index=oldest, wait_for_status='green')
es.cluster.put_settings(persistent={'cluster.routing.allocation.enable': 'primaries'})
es.cluster.put_settings(persistent={'cluster.routing.allocation.enable': None})
report['nodes'] = es.nodes.stats(metric='fs')['_nodes']['successful']
report['allocation'] = es.cat.allocation(format='json', bytes='b')[0]['shards'] != ''
report['clusterStats'] = es.cluster.stats()['indices']['count'] >= 3
es.indices.update_aliases(actions=[{'add': {'index': names[1], 'alias': 'live'}}])
es.indices.update_aliases(actions=[{'remove': {'index': names[1], 'alias': 'live'}},
                                   {'add': {'index': names[2], 'alias': 'live', 'is_write_index': True}}])
report['swapped'] = sorted(es.indices.get_alias(name='live').body)
es.indices.create(index='rolled-000001', aliases={'rolled': {'is_write_index': True}}, settings={'number_of_replicas': 0})
es.index(index='rolled', document={'n': 1}, refresh=True)
rolled = es.indices.rollover(alias='rolled', conditions={'max_docs': 1, 'max_age': '30d'})
report['rolled'] = [rolled['rolled_over'], rolled['new_index']]
es.indices.delete(index=['rolled-000001', 'rolled-000002'])
es.indices.delete(index=[oldest, names[1]])
try:
    es.indices.get(index=oldest)
except NotFoundError as error:
    report['gone'] = error.error
print(json.dumps(report))
