import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { deploymentPhases } from '@fleet/contract'
import { waitFor } from '../../lab/wait.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { addStore, type Run, runOn, type Store } from './production-site.ts'
import { page } from './shop.ts'
import { onHosts, processesOf } from './site.ts'

const started = shareFleet({
  name: 'dpf',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'dpf.test'] },
    { name: 'live', roles: ['app-prod'], words: ['--tld', 'live.test'] },
  ],
})

const INSTANCE = 'store/live'
const DOMAIN = 'preview.live.test'
const HOME = '~store-live'
/** Whatever a step has started and left says so in its name. */
const STRAY = 'sleep 617'

interface Harm {
  readonly command: string
  readonly words?: readonly string[]
  readonly code: string
  readonly printed: RegExp
}

/** What a step does, and what its deployment is said to have failed with. */
const HARMS: Readonly<Record<string, Harm>> = {
  fails: {
    command: 'echo the build is broken >&2; exit 3',
    code: 'deployment.step_failed',
    printed: /^the build is broken$/m,
  },
  hangs: {
    command: `echo waiting; ${STRAY}`,
    words: ['--timeout-seconds', '3'],
    code: 'deployment.step_timeout',
    printed: /^waiting$/m,
  },
  'fills the disk': {
    command: 'fallocate --length 1T fill || true; head -c 1M /dev/zero >more',
    code: 'deployment.step_failed',
    printed: /No space left on device/,
  },
  'leaves a process outside its session and without its environment': {
    command: `env -i setsid ${STRAY} </dev/null >/dev/null 2>&1 & sleep 0.5; tr '\\0' ' ' </proc/$!/cmdline; exit 3`,
    code: 'deployment.step_failed',
    printed: /^sleep 617 /m,
  },
  'kills its parent': {
    command: `${STRAY} & kill -KILL $PPID; ${STRAY}`,
    code: 'deployment.step_failed',
    printed: /^The step build ended with exit status 137\.\n$/,
  },
}

const closing = new AsyncDisposableStack()
after(() => closing.disposeAsync())
let site: Promise<Store> | undefined
const served = (fleet: InstalledFleet): Promise<Store> => (site ??= begin(fleet))

/** A production Instance with a first release, once for all tests. */
async function begin(fleet: InstalledFleet): Promise<Store> {
  const [web, live] = [fleet.node('web'), fleet.node('live')]
  const store = await addStore(
    fleet,
    { after: (close) => closing.defer(async () => void (await close())) },
    web,
    live,
  )
  await fleet.record('instance:create', 'store', web.name, 'default')
  const clone = ['instance:clone', 'store/default', live.name, 'live', '--preview-name', 'preview'] as const
  assert.equal((await fleet.record(...clone))['domain'], DOMAIN)
  const { status, error } = await deploy(fleet)
  assert.deepEqual([status, error], [0, null])
  return store
}

const deploy = (fleet: InstalledFleet): Promise<Run> => runOn(fleet, 'instance:deploy', INSTANCE)

const shown = (fleet: InstalledFleet): Promise<string> => page(fleet.node('web'), DOMAIN)

/** What the link `current` selects, and what the record says. */
async function selected(fleet: InstalledFleet): Promise<string> {
  const link = (await fleet.node('live').run(['sh', '-c', `readlink ${HOME}/current`])).trim()
  const { selected_release: recorded } = await fleet.record('instance:releases', INSTANCE)
  assert.equal(link, `releases/${String(recorded)}`)
  return String(recorded)
}

const releases = (fleet: InstalledFleet): Promise<string> =>
  fleet.node('live').run(['sh', '-c', `ls ${HOME}/releases`])

async function requireNoStrays(fleet: InstalledFleet): Promise<void> {
  const areGone = async (): Promise<true | undefined> =>
    (await processesOf(fleet.node('live'), STRAY)).length === 0 ? true : undefined
  assert.equal(await waitFor(10, areGone), true, 'what the step has started runs on')
}

for (const [what, { command, words = [], code, printed }] of Object.entries(HARMS))
  test(
    `a deploy step that ${what} is named with what happened, the release before it serves on, and the next deployment works [DEPL-006, DEPL-022, DEPL-027]`,
    onHosts,
    async (context) => {
      const fleet = started()
      const store = await served(fleet)
      const remove = ['instance:deploy-step:destroy', INSTANCE, 'build', '--yes'] as const
      // The next test finds none, also when this one fails.
      context.after(() => fleet.gateway.fleet(remove))
      const [before, kept, page] = [await selected(fleet), await releases(fleet), await shown(fleet)]
      assert.match(page, /^200 store v/)
      await fleet.record('instance:deploy-step:create', INSTANCE, 'build', command, ...words)
      const version = `v-${what.replaceAll(' ', '-')}`
      store.publish(version)
      const ran = await deploy(fleet)
      assert.deepEqual([ran.status, ran.error, ran.selected, ran.phases.at(-1)], [1, code, before, 'build'])
      assert.match(ran.printed, printed)
      assert.deepEqual(
        [await selected(fleet), await releases(fleet), await shown(fleet)],
        [before, kept, page],
      )
      await requireNoStrays(fleet)
      const [row] = await fleet.records('instance:deployments', INSTANCE)
      assert.deepEqual([row?.['status'], row?.['error_code']], ['failed', code])

      await fleet.record(...remove)
      const next = await deploy(fleet)
      assert.deepEqual([next.status, next.error], [0, null])
      assert.equal(await selected(fleet), next.selected)
      assert.equal(await shown(fleet), `200 store ${version} from ${next.selected}`)
    },
  )

/** In the order of a deployment. */
const PHASES = deploymentPhases.filter((phase) => phase !== 'rollback')

/** Starts a deployment of a client that dies as soon as it hears of the phase. Answers the id of the deployment. */
async function abandonedIn(fleet: InstalledFleet, phase: string): Promise<string> {
  const { host } = fleet.gateway
  const file = join(host.root, TOLD)
  rmSync(file, { force: true })
  const client = host.attempt(['sh', '-c', `exec fleet instance:deploy ${INSTANCE} --json >/${TOLD}`])
  const told = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const isHeard = async (): Promise<true | undefined> =>
    told().includes(`"phase":"${phase}"`) ? true : undefined
  assert.equal(await waitFor(60, isHeard), true, told())
  await host.attempt(['pkill', '-KILL', '--full', `fleet instance:deploy ${INSTANCE}`])
  await client
  const [, id = ''] = /"deployment_id":(\d+)/.exec(told()) ?? []
  return id
}
const TOLD = 'root/told'

test(
  'a client that goes away in any phase leaves the release before or the new one, with a row that says which; the next deployment works [DEPL-025]',
  onHosts,
  async (context) => {
    const fleet = started()
    const store = await served(fleet)
    for (const phase of PHASES) {
      store.publish(`v-${phase}`)
      const before = await selected(fleet)
      const id = await abandonedIn(fleet, phase)
      const ended = await waitFor(60, async () => {
        const row = await fleet.record('deployment:show', id)
        return row['status'] === 'running' ? undefined : row
      })
      assert.ok(ended, `the deployment that was abandoned in ${phase} runs on`)
      context.diagnostic(`${phase}: ${String(ended['status'])} ${String(ended['error_code'])}`)
      const now = await selected(fleet)
      assert.equal(ended['selected_release'], now)
      const isNew = now !== before
      assert.equal(
        await shown(fleet),
        `200 store ${isNew ? `v-${phase}` : await versionOf(fleet, before)} from ${now}`,
      )
      const next = await deploy(fleet)
      assert.deepEqual([next.status, next.error], [0, null], phase)
      assert.equal(await shown(fleet), `200 store v-${phase} from ${next.selected}`)
    }
  },
)

/** What a release says in its file. */
async function versionOf(fleet: InstalledFleet, release: string): Promise<string> {
  const text = await fleet.node('live').run(['sh', '-c', `cat ${HOME}/releases/${release}/version.php`])
  return /'(.*)'/.exec(text)?.[1] ?? ''
}
