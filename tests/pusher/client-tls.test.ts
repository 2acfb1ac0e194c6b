import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf, type Root } from '@fleet/pki'
import { openConnection } from '@fleet/pusher-client'
import type { TlsIdentity } from '@fleet/websocket'
import { APP, startPusherWorld } from './harness.ts'

let directory = ''
let root: Root
let foreign: Root
const stop = new AbortController()

const rootNamed = (name: string): Promise<Root> =>
  ensureRoot({ directory: join(directory, name), clock: systemClock, name })

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-client-'))
  root = await rootNamed('fleet')
  foreign = await rootNamed('other')
})
after(() => {
  stop.abort()
  rmSync(directory, { recursive: true })
})

async function identity(authority: Root, names: string[], addresses: string[] = []): Promise<TlsIdentity> {
  const leaf = await issueLeaf(authority, { clock: systemClock, names, addresses })
  return { certificate: leaf.certificate, key: leaf.key.reveal() }
}

const open = (port: number, host: string, ca: string | undefined) =>
  openConnection(
    { url: `wss://${host}:${port}`, key: APP.key, address: '127.0.0.1', ca },
    { clock: systemClock, signal: stop.signal },
  )

test('the name of the URL is proven by the given authority, at the given address [ACC-009, ACC-010]', async () => {
  await using world = await startPusherWorld({ tls: await identity(root, ['realtime.fleet'], ['10.44.0.3']) })
  for (const host of ['realtime.fleet', '10.44.0.3']) {
    using connection = await open(world.server.port, host, root.certificate)
    assert.match(connection.socketId, /^\d+\.\d+$/)
  }
})

test('a foreign certificate, a wrong name and an authority of the system alone are not trusted [ACC-009, ACC-010]', async () => {
  await using strange = await startPusherWorld({ tls: await identity(foreign, ['realtime.fleet']) })
  await using misnamed = await startPusherWorld({ tls: await identity(root, ['other.fleet'], ['127.0.0.1']) })
  const untrusted = { code: 'untrusted' }
  await assert.rejects(open(strange.server.port, 'realtime.fleet', root.certificate), untrusted)
  await assert.rejects(open(misnamed.server.port, 'realtime.fleet', root.certificate), untrusted)
  await assert.rejects(open(misnamed.server.port, '10.44.0.3', root.certificate), untrusted)
  await assert.rejects(open(misnamed.server.port, 'other.fleet', undefined), untrusted)
})
