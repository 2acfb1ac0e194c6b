import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { servedCertificates } from '#/certificates/served.ts'
import { listen } from '#/http/listeners.ts'
import { makeApp } from '#/http/server.ts'

const HERE = '127.0.0.1'
const NAMES = { names: ['gateway.fleet'], addresses: [HERE] }

test('a renewed certificate is served to new connections, and open ones continue [RTX-100]', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-served-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const root = await ensureRoot({ directory, clock: systemClock, name: 'Fleet root' })
  const leaves = [1, 2].map(async () => {
    const { certificate, key } = await issueLeaf(root, { clock: systemClock, ...NAMES })
    return { certificate, key: key.reveal() }
  })
  const [first, second] = await Promise.all(leaves)
  assert.ok(first && second)
  const listeners = await listen(makeApp(first), first, [{ address: HERE, port: 0 }], {
    clock: systemClock,
  })
  context.after(() => listeners.close())
  const port = Number(new URL(listeners.urls[0] ?? '').port)
  const place = { address: HERE, port, name: 'gateway.fleet' }
  assert.equal((await servedCertificates.certificateAt(place))?.trim(), first.certificate.trim())
  const open = connect({ host: HERE, port, servername: 'gateway.fleet', ca: root.certificate })
  await once(open, 'secureConnect')
  listeners.renew(second)
  assert.equal((await servedCertificates.certificateAt(place))?.trim(), second.certificate.trim())
  open.write('GET /nothing HTTP/1.1\r\nHost: gateway.fleet\r\nConnection: close\r\n\r\n')
  const [answer] = (await once(open, 'data')) as [Buffer] // The event's own arguments.
  assert.match(answer.toString(), /^HTTP\/1\.1 \d{3}/)
  open.destroy()
})

test('a socket that speaks no TLS, or is none, serves nothing', async (context) => {
  const server = createServer((socket) => socket.end('hello\n'))
  server.listen(0, HERE)
  await once(server, 'listening')
  context.after(() => server.close())
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  assert.equal(await servedCertificates.certificateAt({ address: HERE, port, name: 'x' }), undefined)
  assert.equal(await servedCertificates.certificateAt({ address: HERE, port: 1, name: 'x' }), undefined)
})
