// An agent whose bus and Docker are named by its first two words; it runs until it is stopped.
import { runAgent } from '@fleet/agent/main'
import { systemClock, systemIds } from '@fleet/kernel'

const [bus = '', docker = '', ...words] = process.argv.slice(2)
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
const deps = { clock: systemClock, ids: systemIds, signal: stop.signal, machine: { bus, docker } }
process.exitCode = await runAgent(words, { ...deps, say: () => undefined })
