//! One shard: its versions, translog, buffer, segments and searcher snapshots. Knows neither REST nor cluster.
