/** Programs with the Java clients of both products: an index, a bulk, a search with aggregations, figures and lists. */
import { describe, expect, it } from 'vitest';
import { TestNode } from '../api/node-harness.js';
import { librariesOf, NOT_THERE, OPENSEARCH_2, OPENSEARCH_3, runJava, TYPED, type JavaClient } from './java-clients.js';

interface Case extends JavaClient {
  readonly settings: Readonly<Record<string, string>>;
  readonly prints: Readonly<Record<string, string>>;
}

const EVERYWHERE = { bulk: '10 false', get: 'crime', missing: 'false' };
const FIGURES = {
  ...EVERYWHERE,
  ...{ 'nodes.info': '1', 'nodes.stats': '1', 'cluster.stats': '1', 'cluster.health': '1', 'indices.stats': '10' },
};
const ELASTICSEARCH = {
  ...{ ...FIGURES, search: '10 drama 6 6.5', mapping: 'true', settings: 'true', templates: '4', parts: 'true' },
  ...{ policies: 'true', streams: 'logs', cat: 'true', 'cat.nodes': 'true' },
};
const OPENSEARCH = { ...FIGURES, search: '10 6 6.5', mapping: '3', cat: '1', 'cat.nodes': '1' };

const CASES: readonly Case[] = [
  {
    title: 'elasticsearch-java 8',
    libraries: TYPED.elasticsearch8,
    sources: ['ElasticsearchJava.java', 'elasticsearch-8/Connection.java'],
    settings: {},
    prints: { ...ELASTICSEARCH, info: '8.19.0' },
  },
  {
    title: 'elasticsearch-java 9',
    libraries: TYPED.elasticsearch9,
    sources: ['ElasticsearchJava.java', 'elasticsearch-9/Connection.java'],
    settings: { 'compatibility.version': '9.1.0' },
    prints: { ...ELASTICSEARCH, info: '9.1.0' },
  },
  {
    title: 'the high-level client 7.17',
    libraries: ['org.elasticsearch.client:elasticsearch-rest-high-level-client:7.17.28'],
    sources: ['HighLevel.java'],
    settings: {},
    prints: {
      ...{ ...EVERYWHERE, info: '8.19.0', bulk: '10 false _doc', search: '10 drama 6 6.5', hit: '_doc' },
      ...{ update: 'UPDATED', health: '1', mapping: '1' },
    },
  },
  {
    title: 'opensearch-java 2',
    libraries: TYPED.opensearch2,
    sources: ['OpenSearchJava.java'],
    settings: OPENSEARCH_2,
    prints: { ...OPENSEARCH, info: '2.19.0' },
  },
  {
    title: 'opensearch-java 3',
    libraries: TYPED.opensearch3,
    sources: ['OpenSearchJava.java'],
    settings: OPENSEARCH_3,
    prints: { ...OPENSEARCH, info: '3.1.0' },
  },
];

describe.each(CASES.map((each) => ({ ...each, found: librariesOf(each) })))('$title', (each) => {
  const { found, settings, prints } = each;

  it.skipIf(found === undefined)(
    `does all that a program does${found === undefined ? NOT_THERE : ''}`,
    async () => {
      const node = await TestNode.start(settings);
      try {
        expect(Object.fromEntries(await runJava(each, found ?? '', node.url))).toEqual(prints);
      } finally {
        await node.stop();
      }
    },
    300_000,
  );
});
