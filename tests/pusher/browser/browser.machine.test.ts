import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import PusherServer from 'pusher'
import { layWire } from '../../embedded/wire.ts'
import { APP, startPusherWorld } from '../harness.ts'
import { noBrowser, openChromium } from './chromium.ts'
import { openSite } from './site.ts'

/** What the page reports each scene when everything works. */
const EXPECTED: Readonly<Record<string, unknown>> = {
  public: { name: 'news' },
  private: { name: 'private-fleet' },
  encrypted: { name: 'private-encrypted-fleet' },
  presence: {
    count: 1,
    me: 'w',
    joined: 'agent.1',
    members: 2,
    heard: [{ sequence: 1 }, { user_id: 'agent.1' }],
    left: 'agent.1',
  },
  cache: { n: 1 },
  user: { n: 1 },
  refusedByGateway: { status: 403, type: 'AuthError' },
  wrongSignature: { status: 401, type: 'AuthError' },
  unknownKey: { code: 4001 },
  echo: {
    here: [{ name: 'one' }],
    joined: { name: 'two' },
    whispered: { n: 1 },
    heard: {
      channel: { kind: 'channel' },
      private: { kind: 'private' },
      encryptedPrivate: { kind: 'encryptedPrivate' },
    },
    left: { name: 'two' },
  },
  reconnect: { states: ['connecting', 'connected'], reported: { n: 2 } },
}

test(
  'pusher-js and laravel-echo in a browser, over TLS with the root of the fleet as its authority: every kind of channel, refusals and a reconnect',
  { skip: noBrowser() ?? false, timeout: 150_000 },
  async () => {
    await using stack = new AsyncDisposableStack()
    const directory = mkdtempSync(join(tmpdir(), 'fleet-browser-ca-'))
    stack.defer(() => rmSync(directory, { recursive: true, force: true }))
    const root = await ensureRoot({ directory, clock: systemClock, name: 'Fleet root' })
    const leaf = await issueLeaf(root, { clock: systemClock, names: ['localhost'], addresses: [] })
    const tls = { certificate: leaf.certificate, key: leaf.key.reveal() }
    const world = stack.use(await startPusherWorld({ tls, origins: ['localhost'] }))
    const wire = stack.use(await layWire('127.0.0.1', world.server.port))
    const publisher = new PusherServer({
      appId: APP.id,
      key: APP.key,
      secret: APP.secret.reveal(),
      host: 'localhost',
      port: String(world.server.port),
      useTLS: true,
      agent: new Agent({ ca: root.certificate }),
      encryptionMasterKeyBase64: Buffer.alloc(32, 7).toString('base64'),
    })
    const site = stack.use(await openSite({ tls, publisher, cut: wire.cut }))
    const page = `https://localhost:${site.port}/?port=${wire.port}&key=${APP.key}`
    stack.use(openChromium(page, join(directory, 'root.crt')))
    assert.deepEqual(await site.outcomes, EXPECTED)
  },
)
