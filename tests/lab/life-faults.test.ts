import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { sampled } from '@fleet/testing/sample'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { addStore, type Run, runOn, type Store } from './production-site.ts'
import { page } from './shop.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'lfl',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'] },
    { name: 'other', roles: ['app-dev'], words: ['--tld', 'other.test'] },
    { name: 'live', roles: ['app-prod'], words: ['--tld', 'live.test'] },
  ],
})

let store: Promise<Store> | undefined
const closing: (() => unknown)[] = []
after(async () => {
  for (const close of closing) await close()
})

/** The Project `store`, once for all tests of the file. */
function theStore(fleet: InstalledFleet): Promise<Store> {
  const nodes = ['web', 'other', 'live'].map(fleet.node)
  const [web = assert.fail(), ...others] = nodes
  store ??= addStore(fleet, { after: (close: () => unknown) => void closing.push(close) }, web, ...others)
  return store
}

/** What of a checkout is the same on every Node: its commits, stashes, modes, links, and every byte outside of Git's folder. */
const contentOf = (host: Host, path: string): Promise<string> => {
  const files = 'find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum'
  const names = "find . -path ./.git -prune -o -printf '%y %m %p %l\\n' | sort"
  const git = `git -c safe.directory='*' -C ${path}`
  return host.run([
    'sh',
    '-c',
    `cd ${path} && ${files} && ${names} && ${git} for-each-ref --format='%(objectname) %(refname)' refs/heads refs/stash && ${git} fsck --connectivity-only`,
  ])
}

const isThere = async (host: Host, path: string): Promise<boolean> =>
  (await host.attempt(['test', '-e', path])).status === 0

async function powerCut(hosts: readonly Host[]): Promise<void> {
  await Promise.all(hosts.map((host) => host.kill()))
  await Promise.all(
    hosts.map(async (host) => {
      await host.revive()
      await host.restore()
    }),
  )
}

/** The identical request until it is done: a Node that has just started may not be reached at once. */
async function repeated(fleet: InstalledFleet, words: readonly [string, ...string[]]): Promise<number> {
  for (let times = 1; ; times += 1) {
    const { status, stderr } = await fleet.gateway.fleet([...words, '--json'])
    if (status === 0) return times
    assert.ok(times < 10, stderr)
    await systemClock.sleep(3000)
  }
}

test(
  'a transfer whose source, destination or both lose their power at any moment is finished by the identical request, with every byte on one Node [INS-095]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, other] = [fleet.node('web'), fleet.node('other')]
    await theStore(fleet)
    const made = await fleet.record('instance:create', 'store', web.name, 'moves')
    const path = String(made['checkout_path'])
    const owner = (await web.run(['stat', '--format=%U', path])).trim()
    const work = [
      'git config user.name a && git config user.email a@b.test',
      'echo stashed >>public/index.php && git stash -q',
      'git switch -q -c mine && git commit -q --allow-empty -m "only here"',
      'mkdir -p vendor "a folder" && head -c 20000000 /dev/urandom >vendor/large && ln vendor/large vendor/same',
      'ln -s nowhere dangling && echo kept >"a folder/unträcked" && chmod 640 "a folder/unträcked"',
    ]
    await web.run(['runuser', '-u', owner, '--', 'sh', '-c', `cd ${path} && ${work.join(' && ')}`])
    await web.run(['sync'])
    const before = await contentOf(web, path)
    const moments = [200, 700, 1200, 1800, 2500, 3500].flatMap((after) =>
      (['source', 'destination', 'both'] as const).map((whose) => ({ after, whose })),
    )
    let [here, there] = [web, other]
    for (const { after, whose } of sampled(moments, 4)) {
      const words = ['instance:transfer', String(made['id']), there.name, '--yes'] as const
      const hosts = whose === 'both' ? [here, there] : [whose === 'source' ? here : there]
      const request = fleet.gateway.fleet([...words, '--json'])
      await systemClock.sleep(after)
      await powerCut(hosts)
      const { status } = await request
      const times = await repeated(fleet, words)
      context.diagnostic(`${whose} after ${after} ms: status ${status}, done after ${times} more`)
      assert.equal(await contentOf(there, path), before, `${whose} after ${after} ms`)
      assert.equal(await isThere(here, path), false, `${whose} after ${after} ms`)
      ;[here, there] = [there, here]
    }
    await fleet.record('instance:destroy', String(made['id']), '--yes', '--force')
  },
)

/** The production Instance with a first release, and how it is asked. */
async function live(fleet: InstalledFleet) {
  const { publish } = await theStore(fleet)
  const [web, host] = [fleet.node('web'), fleet.node('live')]
  await fleet.record('instance:create', 'store', web.name, 'default')
  const made = await fleet.record(
    'instance:clone',
    'store/default',
    host.name,
    'live',
    '--preview-name',
    'preview',
  )
  const deploy = (): Promise<Run> => runOn(fleet, 'instance:deploy', 'store/live')
  const shown = (): Promise<string> => page(web, String(made['domain']))
  const serves = async (wanted: string): Promise<void> => {
    const found = await waitFor(60, async () => ((await shown()) === wanted ? true : undefined))
    assert.equal(found === true ? wanted : await shown(), wanted)
  }
  const step = async (
    phase: 'before_activation' | 'after_activation',
    command: string,
  ): Promise<AsyncDisposable> => {
    await fleet.record('instance:deploy-step:create', 'store/live', 'trouble', command, '--phase', phase)
    return {
      [Symbol.asyncDispose]: async () =>
        void (await fleet.record('instance:deploy-step:destroy', 'store/live', 'trouble', '--yes')),
    }
  }
  return { host, home: String(made['production_home']), publish, deploy, serves, step }
}

test(
  'a deploy step that kills those above it or fills the disk, and a Node that loses its power during a step, leave a release that is whole and served, and the next deployment succeeds',
  onHosts,
  async (context) => {
    const fleet = started()
    const { host, home, publish, deploy, serves, step } = await live(fleet)
    const first = await deploy()
    assert.deepEqual([first.status, first.error], [0, null])
    await serves(`200 store v1 from ${first.selected}`)
    const releases = async (): Promise<readonly string[]> =>
      (await host.run(['ls', `${home}/releases`]))
        .split('\n')
        .filter((name) => !['', 'initial'].includes(name))
    const kept = await releases()

    publish('v2')
    {
      // The shell of the step, and the one that waits for it.
      const line = 'sleep 3217 & kill -KILL $(ps -o ppid= -p $PPID) $PPID; sleep 3217'
      await using _step = await step('before_activation', line)
      const killed = await deploy()
      context.diagnostic(`a step that kills those above it: ${killed.error}`)
      assert.equal(killed.status, 1)
      assert.equal(killed.selected, first.selected)
      assert.deepEqual(await releases(), kept)
      assert.equal((await host.attempt(['pgrep', '-f', 'sleep 3217'])).status, 1, 'nothing of it runs on')
      await serves(`200 store v1 from ${first.selected}`)
    }
    {
      await using _step = await step('before_activation', 'cat /dev/zero >filled')
      const full = await deploy()
      context.diagnostic(`a step that fills the disk: ${full.error}`)
      assert.deepEqual(
        [full.status, full.error, full.selected],
        [1, 'deployment.step_failed', first.selected],
      )
      assert.deepEqual(await releases(), kept)
      await serves(`200 store v1 from ${first.selected}`)
    }
    const second = await deploy()
    assert.deepEqual([second.status, second.error], [0, null])
    await serves(`200 store v2 from ${second.selected}`)

    for (const phase of ['before_activation', 'after_activation'] as const) {
      publish(`power ${phase}`)
      await host.run(['sync'])
      let cut: Run
      {
        await using _step = await step(phase, 'touch ~/reached && sleep 600')
        await host.run(['rm', '-f', `${home}/reached`])
        const running = deploy().catch((error: unknown) => error)
        assert.equal(
          await waitFor(60, async () => ((await isThere(host, `${home}/reached`)) ? true : undefined)),
          true,
        )
        await powerCut([host])
        const ended = await running
        if (ended instanceof Error) throw ended
        cut = ended as Run // It is what a deployment answers.
      }
      context.diagnostic(`power cut in ${phase}: ${cut.error}`)
      assert.equal(cut.status, 1)
      const link = (await host.run(['readlink', `${home}/current`])).trim()
      const serving = link.replace('releases/', '')
      const version = phase === 'before_activation' ? 'v2' : 'power after_activation'
      await serves(`200 store ${version} from ${serving}`)
      const next = await deploy()
      assert.deepEqual([next.status, next.error], [0, null])
      await serves(`200 store power ${phase} from ${next.selected}`)
      assert.ok((await releases()).length <= 3, (await releases()).join(' '))
      if (phase === 'before_activation') publish('v3')
    }
  },
)
