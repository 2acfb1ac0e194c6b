import { parseArgs } from 'node:util'
import { systemClock } from '@fleet/kernel'
import type { Endpoint } from './endpoint.ts'
import { inheritedSockets } from './env.ts'
import { startListener } from './listener.ts'
import { journal } from './log.ts'
import { selfTest } from './self-test.ts'
import { inheritSockets, openSockets } from './sockets.ts'

const USAGE = `Usage: fleet node-dns serve --catalog FILE --upstream ADDRESS:PORT [--listen ADDRESS:PORT]
       fleet node-dns serve --self-test

Answers queries for private names of the fleet on sockets that systemd passes, or on --listen, and forwards others to --upstream.`

/** Serves until it is stopped. Resolves with the exit status. */
export async function main(args: readonly string[]): Promise<number> {
  const options = optionsOf(args)
  if (!options) return said(USAGE, 2)
  if (options.kind === 'self-test') return ofSelfTest()
  const { catalogPath, upstream, listen } = options
  if (!listen && inheritedSockets() !== 2) return said('There are no sockets to listen on.', 2)
  const sockets = await (listen ? openSockets(listen) : inheritSockets())
  const listener = await startListener({ sockets, catalogPath, upstream, clock: systemClock, log: journal })
  await new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve)
  })
  await listener.stop()
  return 0
}

async function ofSelfTest(): Promise<number> {
  try {
    await selfTest()
    return 0
  } catch (error) {
    return said(`The self test failed: ${error instanceof Error ? error.message : 'unknown'}`, 1)
  }
}

type Options =
  | { readonly kind: 'self-test' }
  | {
      readonly kind: 'serve'
      readonly catalogPath: string
      readonly upstream: Endpoint
      readonly listen?: Endpoint
    }

function optionsOf(args: readonly string[]): Options | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        catalog: { type: 'string' },
        upstream: { type: 'string' },
        listen: { type: 'string' },
        'self-test': { type: 'boolean' },
      },
    })
    if (positionals.length !== 1 || positionals[0] !== 'serve') return undefined
    if (values['self-test']) return { kind: 'self-test' }
    const { catalog: catalogPath } = values
    const [upstream, listen] = [endpointOf(values.upstream), endpointOf(values.listen)]
    if (!catalogPath || !upstream || (values.listen !== undefined && !listen)) return undefined
    return { kind: 'serve', catalogPath, upstream, ...(listen ? { listen } : {}) }
  } catch {
    return undefined
  }
}

const endpointOf = (text: string | undefined): Endpoint | undefined => {
  const [, address, port] = /^([0-9.]+):(\d{1,5})$/.exec(text ?? '') ?? []
  return address && port ? { address, port: Number(port) } : undefined
}

const said = (text: string, status: number): number => {
  process.stderr.write(`${text}\n`)
  return status
}
