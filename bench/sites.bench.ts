// The file of a Node with 1,000 sites: rendering it beside writing the same sites as JSON, and publishing one more site beside
// what Caddy itself takes to load that file.
import { chmodSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { featuresOf, renderCaddyfile, ROOT_FILE, type Site } from '@fleet/fleet'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { freePort } from '@fleet/testing/free-port'
import { CADDY, controlOf, startRealCaddy } from '@fleet/testing/real-caddy'
import { site, startWorld, type World } from '../packages/fleet/src/web-server/world.test.ts'
import { measure, median, type Report, sideBySide } from './measure.ts'
import { execute } from './ssh-server.ts'

const SITES = 1000
const RENDERINGS = 40
const BUILDS = 5

export async function* run(): AsyncGenerator<Report> {
  const sites = Array.from({ length: SITES }, (_, at) => site(`shop-${at}.test`, 'route-1'))
  const settings = { features: featuresOf({ major: 2, minor: 9 }), root: ROOT_FILE, acmeDirectory: undefined }
  const rendering = await sideBySide(
    RENDERINGS,
    async () => renderCaddyfile(sites, settings),
    async () => JSON.stringify(sites),
  )
  yield measure(
    'sites-render',
    'ms',
    median(rendering.ours),
    `the ${SITES} sites as JSON`,
    median(rendering.theirs),
  )
  if (CADDY === undefined) yield { bench: 'sites-publish', skipped: 'caddy is not installed' }
  else yield* publishing(sites)
}

async function* publishing(all: readonly Site[]): AsyncGenerator<Report> {
  await using stack = new AsyncDisposableStack()
  const world = stack.use(await startWorld())
  const folder = await startCaddy(world, stack)
  const [port, sites] = [await freePort(), [...all]]
  const listening = (one: Site): Site => ({
    ...one,
    listener: { kind: 'tcp', addresses: ['127.0.0.1'], port },
  })
  world.sites = sites.map(listening)
  await world.server.build(world.session, 'app-dev')
  let more = 0
  const publish = async (): Promise<void> => {
    world.sites = [...sites, site(`more-${(more += 1)}.test`, 'route-1')].map(listening)
    if ((await world.server.build(world.session, 'app-dev')) !== 'applied')
      throw new Error('nothing was published')
  }
  const reload = async (): Promise<unknown> =>
    execute('caddy', [
      'reload',
      '--force',
      '--adapter',
      'caddyfile',
      '--config',
      `${folder}/served`,
      '--address',
      controlOf(folder),
    ])
  const { ours, theirs } = await sideBySide(BUILDS, publish, reload)
  const what = 'caddy reload of the same file'
  yield measure('sites-publish', 'ms', median(ours), what, median(theirs))
  const validate = ['validate', '--adapter', 'caddyfile', '--config', `${folder}/served`]
  const both = await sideBySide(BUILDS, publish, async () => {
    await execute('caddy', validate)
    await reload()
  })
  const whatBoth = 'caddy validate and caddy reload of it'
  yield measure('sites-publish-validated', 'ms', median(both.ours), whatBoth, median(both.theirs))
}

/** A Caddy for the machine of a world: it serves the file that a build wrote, with the folders of that machine. */
async function startCaddy(world: World, stack: AsyncDisposableStack): Promise<string> {
  // Its own path has a space, which no site of the product has.
  const folder = `${world.at('').replace(/\/$/, '').replaceAll(' ', '-')}-link`
  symlinkSync(world.at(''), folder)
  stack.defer(() => rmSync(folder))
  const root = await ensureRoot({ directory: join(folder, 'ca'), clock: systemClock, name: 'Fleet root' })
  const { key, certificate } = await issueLeaf(root, {
    names: ['shop.test'],
    addresses: [],
    clock: systemClock,
  })
  world.write('etc/fleet/certificates/route-1/leaf.pem', key.reveal() + certificate)
  world.write(ROOT_FILE.slice(1), root.certificate)
  const options = `\\tadmin ${controlOf(folder)}\\n\\thttp_port ${await freePort()}`
  const moved = `sed -e 's#/etc/fleet/#${folder}/etc/fleet/#g' -e 's#${ROOT_FILE}#${folder}${ROOT_FILE}#g' -e 's#^\\tauto_https#${options}\\n&#'`
  const machine = {
    at: world.at,
    write: world.write,
    install: (name: string, script: string): void => {
      world.write(`fake/${name}`, `#!/bin/sh\n${script}\n`)
      chmodSync(world.at(`fake/${name}`), 0o755)
    },
  }
  stack.use(await startRealCaddy(machine, { place: folder, moved }))
  return folder
}
