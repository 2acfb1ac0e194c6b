import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Catalog, catalogText } from '@fleet/dns'
import { systemClock } from '@fleet/kernel'
import packet from 'dns-packet'
import { askOverTcp } from './upstream-tcp.ts'
import { UdpUpstream } from './upstream-udp.ts'
import { type Listener, startListener } from './listener.ts'
import { parseQuery, type Query } from './message.ts'
import { openSockets, portOf } from './sockets.ts'

const HOME = '127.0.0.1'
const OWNED = '10.44.0.1'
const catalog: Catalog = {
  requesters: { [HOME]: 1 },
  records: { 'gateway.fleet': OWNED },
  suffixes: {},
  overrides: {},
}

/**
 * Runs this very program on loopback: it must load a catalog, confirm it, answer over UDP and TCP, and pass on what is
 * not the fleet's. Throws when it does not.
 */
export async function selfTest(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-node-dns-'))
  const path = join(folder, 'catalog.json')
  const text = catalogText(catalog)
  writeFileSync(path, text)
  // The one listener is asked for the names of the other: it needs no server outside.
  const outside = await start(join(folder, 'none.json'), { address: HOME, port: 9 })
  const inside = await start(path, { address: HOME, port: outside.port })
  try {
    assert.equal(readFileSync(`${path}.loaded`, 'utf8'), createHash('sha256').update(text).digest('hex'))
    for (const ask of [overUdp, overTcp]) {
      assert.deepEqual(await ask(inside.port, 'Gateway.Fleet'), { rcode: 0, address: OWNED })
      assert.deepEqual(await ask(inside.port, 'elsewhere.example'), { rcode: 2, address: undefined })
    }
  } finally {
    await inside.listener.stop()
    await outside.listener.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function start(
  catalogPath: string,
  upstream: { readonly address: string; readonly port: number },
): Promise<{ readonly listener: Listener; readonly port: number }> {
  const sockets = await openSockets({ address: HOME, port: 0 })
  const listener = await startListener({
    sockets,
    catalogPath,
    upstream,
    clock: systemClock,
    log: () => undefined,
  })
  return { listener, port: portOf(sockets.tcp) }
}

interface Heard {
  readonly rcode: number
  readonly address: unknown
}

async function overUdp(port: number, name: string): Promise<Heard> {
  using upstream = await UdpUpstream.connect({ address: HOME, port }, systemClock)
  return heard(await upstream.ask(queryFor(name), HOME))
}

const overTcp = async (port: number, name: string): Promise<Heard> =>
  heard(await askOverTcp({ address: HOME, port }, queryFor(name), new AbortController().signal))

const heard = (answer: Buffer | undefined): Heard => {
  assert.ok(answer, 'no answer')
  const [record] = packet.decode(answer).answers ?? []
  return {
    rcode: answer.readUInt16BE(2) & 0xf,
    address: record && 'data' in record ? record.data : undefined,
  }
}

function queryFor(name: string): Query {
  const flags = packet.RECURSION_DESIRED
  const parsed = parseQuery(packet.encode({ id: 7, type: 'query', flags, questions: [{ name, type: 'A' }] }))
  assert.ok(parsed.kind === 'query')
  return parsed.query
}
