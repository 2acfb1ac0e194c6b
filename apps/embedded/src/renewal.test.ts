import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { connect } from 'node:tls'
import { Secret, systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { freePort } from '@fleet/testing/free-port'
import { startFeed } from './feed.ts'
import { openHome } from './home.ts'
import { startSampleGit } from './sample/git.ts'

/** A gateway that issues certificates and gives the next one when it is asked to. */
async function startWorld(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-renewal-'))
  const home = openHome(join(folder, 'home'))
  context.after(() => {
    home.release()
    rmSync(folder, { recursive: true, force: true })
  })
  const root = await ensureRoot({ directory: join(folder, 'ca'), clock: systemClock, name: 'Test root' })
  const issue = async (names: readonly string[], addresses: readonly string[]) => {
    const leaf = await issueLeaf(root, { names, addresses, clock: systemClock })
    return { certificate: leaf.certificate, key: leaf.key.reveal() }
  }
  const renewals: (() => Promise<void>)[] = []
  const gateway = {
    leaf: async (
      names: readonly string[],
      addresses: readonly string[],
      _directory: string,
      renewed: (leaf: Awaited<ReturnType<typeof issue>>) => void,
    ) => {
      renewals.push(async () => renewed(await issue(names, addresses)))
      return issue(names, addresses)
    },
    placeRealtime: async () => ({ id: 'fleet', key: 'key', secret: new Secret('secret') }),
  }
  /** Serial number of the certificate that a new client of the server gets. */
  const served = async (url: string): Promise<string> => {
    const port = Number(new URL(url).port)
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: root.certificate })
    await once(socket, 'secureConnect')
    const { serialNumber } = socket.getPeerCertificate()
    socket.destroy()
    return serialNumber
  }
  const renew = async (): Promise<void> => void (await Promise.all(renewals.map((one) => one())))
  return { home, gateway, served, renew }
}

test('the feed and the repositories of a fleet that runs for months serve the certificate that was issued last', async (context) => {
  const { home, gateway, served, renew } = await startWorld(context)
  mkdirSync(home.in('git'))
  await using stack = new AsyncDisposableStack()
  const gatewayPort = (await freePort()) - 347
  const feed = stack.use(await startFeed({ home, gateway, gatewayPort, nodeId: 1 }))
  const git = await startSampleGit(
    { home, gateway, gatewayPort, programs: { PATH: process.env['PATH'] ?? '' }, make: true },
    stack,
  )
  assert.ok(git && 'url' in git)
  const urls = [feed.announced.url, git.url]
  const before = await Promise.all(urls.map(served))
  assert.deepEqual(await Promise.all(urls.map(served)), before)
  await renew()
  const after = await Promise.all(urls.map(served))
  assert.equal(new Set([...before, ...after]).size, 4)
})
