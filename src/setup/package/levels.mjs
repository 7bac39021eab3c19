/**
 * The kinds of processors for which a package has kernels, the most able first. A node loads the first whose `flags` (names of
 * `/proc/cpuinfo`) its processor has (`src/native/addon-file.ts`).
 *
 * The levels are those of the x86-64 psABI. The first has what the kernels use beyond its level.
 */
const V2 = ['cx16', 'lahf_lm', 'pni', 'popcnt', 'sse4_1', 'sse4_2', 'ssse3'];
const V3 = [...V2, 'abm', 'avx', 'avx2', 'bmi1', 'bmi2', 'f16c', 'fma', 'movbe'];
const V4 = [...V3, 'avx512bw', 'avx512cd', 'avx512dq', 'avx512f', 'avx512vl'];

export const levels = [
  {
    file: 'quarry-avx512.node',
    rustFlags: '-C target-cpu=x86-64-v4 -C target-feature=+avx512vbmi,+avx512vbmi2',
    flags: [...V4, 'avx512vbmi', 'avx512_vbmi2'],
  },
  { file: 'quarry-avx2.node', rustFlags: '-C target-cpu=x86-64-v3', flags: V3 },
  { file: 'quarry-sse42.node', rustFlags: '-C target-cpu=x86-64-v2', flags: V2 },
];
