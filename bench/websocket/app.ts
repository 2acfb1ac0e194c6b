import { Secret } from '@fleet/kernel'

/** The one application of the servers that are measured. */
export const BENCH_APP = { id: 'fleet', key: 'bench-key', secret: new Secret('bench-secret') }
export const BENCH_CHANNEL = 'private-bench'
