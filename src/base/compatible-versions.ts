/**
 * The releases that a node may announce. Clients and tools look at the number before they do anything, so only numbers of
 * releases are known here whose API Quarry answers.
 */
export type ProductName = 'elasticsearch' | 'opensearch';

/** What a release tells of itself beside its number. */
export interface Release {
  readonly lucene: string;
  /** Oldest release whose nodes could be in one cluster with it. */
  readonly minimumWire: string;
  /** Oldest release whose indices it reads. */
  readonly minimumIndex: string;
}

/** The first one of each is announced unless another one is set. */
export const RELEASES: Readonly<Record<ProductName, ReadonlyMap<string, Release>>> = {
  elasticsearch: new Map([
    ['8.19.0', { lucene: '9.12.2', minimumWire: '7.17.0', minimumIndex: '7.0.0' }],
    ['8.18.0', { lucene: '9.12.1', minimumWire: '7.17.0', minimumIndex: '7.0.0' }],
    ['8.17.0', { lucene: '9.12.0', minimumWire: '7.17.0', minimumIndex: '7.0.0' }],
    ['9.0.0', { lucene: '10.1.0', minimumWire: '8.18.0', minimumIndex: '8.0.0' }],
    ['9.1.0', { lucene: '10.2.2', minimumWire: '8.19.0', minimumIndex: '8.0.0' }],
  ]),
  opensearch: new Map([
    ['3.1.0', { lucene: '10.2.1', minimumWire: '2.19.0', minimumIndex: '2.0.0' }],
    ['3.0.0', { lucene: '10.1.0', minimumWire: '2.19.0', minimumIndex: '2.0.0' }],
    ['2.19.0', { lucene: '9.12.1', minimumWire: '7.10.0', minimumIndex: '7.0.0' }],
  ]),
};

/** The number that a node of this product announces where nothing is set. */
export function defaultRelease(product: ProductName): string {
  const [number = ''] = RELEASES[product].keys();
  return number;
}
