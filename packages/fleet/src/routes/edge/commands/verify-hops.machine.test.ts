import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createServer } from 'node:tls'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { localPool, localSession, nodeRecord } from '@fleet/testing'
import { verifyHops } from '#/routes/edge/commands/verify-hops.ts'

const DOMAIN = 'shop.example'

async function fleet(context: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'fleet-hops-'))
  context.after(() => rmSync(home, { recursive: true }))
  const rootOf = (name: string) => ensureRoot({ directory: join(home, name), clock: systemClock, name })
  const root = await rootOf('ours')
  const file = join(home, 'root.pem')
  writeFileSync(file, root.certificate)
  const serve = async (name: string, from = root): Promise<string> => {
    const leaf = await issueLeaf(from, { names: [name], addresses: [], clock: systemClock })
    const server = createServer({ cert: leaf.certificate, key: leaf.key.reveal() }).listen(0, '127.0.0.1')
    context.after(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    return `127.0.0.1:${(server.address() as AddressInfo).port}` // It listens on TCP.
  }
  const session = localSession(localPool({ home }), { node: nodeRecord({ user_home: home }) })
  const verify = (...servers: string[]) => session.ask(verifyHops, { root: file, domain: DOMAIN, servers })
  return { serve, verify, stranger: () => rootOf('strange') }
}

test('servers with a certificate of the fleet for the domain are what a site may lead to; the first other one is named [RTX-053]', async (context) => {
  const { serve, verify, stranger } = await fleet(context)
  const good = [await serve(DOMAIN), await serve(DOMAIN)]
  assert.equal(await verify(...good), undefined)
  const [other, foreign] = [await serve('other.example'), await serve(DOMAIN, await stranger())]
  assert.equal(await verify(good[0] ?? '', other, foreign), other)
  assert.equal(await verify(foreign, other), foreign)
  assert.equal(await verify('127.0.0.1:1'), '127.0.0.1:1')
})
