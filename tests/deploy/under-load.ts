import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { skip as noManager } from '../../packages/fleet/src/php/production/manager-world.test.ts'
import { NO_TRAFFIC } from '../../packages/fleet/src/routes/traffic/machines.test.ts'
import { versionOf } from './pages.ts'
import { type DeployTown, openDeployTown, POOL, SERVED_BY_NODE, type States } from './town.ts'

/** Why there can be no town. */
export const NO_TOWN = NO_TRAFFIC || (noManager && 'root, PHP 8.2 or its process manager is missing')

const SUCCEEDED = [undefined, undefined, undefined]

/** Deploys version after version on three Nodes of a pool, with rollbacks in between, while everybody visits. */
export async function deployUnderLoad(
  rounds: number,
  isBack: (round: number) => boolean,
  options: Parameters<typeof openDeployTown>[0] = {},
): Promise<string> {
  await using town = await openDeployTown(options)
  const { visitors } = town
  const published = new Set(['v0'])
  let states = await town.states()
  let [deployments, rollbacks, current] = [0, 0, 'v0']
  for (let round = 1; round <= rounds; round += 1) {
    const before = current
    published.add((current = `v${round}`))
    assert.deepEqual(await town.deploy(current), SUCCEEDED)
    deployments += SUCCEEDED.length
    states = await requireReset(town, states)
    await requireOnly(town, { [POOL]: current, [SERVED_BY_NODE]: current })
    if (!isBack(round)) continue
    assert.deepEqual(await town.rollback(), SUCCEEDED)
    rollbacks += SUCCEEDED.length
    states = await requireReset(town, states)
    // No step runs, so nothing reloaded the server.
    await requireOnly(town, { [POOL]: before, [SERVED_BY_NODE]: current })
    current = before
  }
  await town.step('head -c 1000 /dev/zero >page; exit 1')
  assert.deepEqual(
    await town.deploy('never'),
    SUCCEEDED.map(() => 'deployment.step_failed'),
  )
  await pause(200)
  const tally = await visitors.stop()
  assert.deepEqual(tally.failures, [])
  for (const page of tally.pages.keys()) requireWhole(page, published)
  for (const [kind, count] of Object.entries(tally.answered))
    assert.ok(count > 50 * rounds, `${kind}: ${count}`)
  return `${deployments} deployments, ${rollbacks} rollbacks, ${JSON.stringify(tally.answered)}, ${tally.repeated} repeated`
}

/** Every opcache was reset once more, and answers from what is selected. */
async function requireReset(town: DeployTown, before: States): Promise<States> {
  const after = await town.states()
  for (const [home, { resets, release }] of after) {
    const earlier = before.get(home)
    assert.equal(resets, (earlier?.resets ?? 0) + 1, `resets of ${home}`)
    assert.notEqual(release, earlier?.release)
  }
  return after
}

/** Whoever sets out from now on gets this version of each domain, and of each kind of page. */
async function requireOnly(
  { visitors }: DeployTown,
  wanted: Readonly<Record<string, string>>,
): Promise<void> {
  await visitors.settle()
  const { pages } = visitors.tally
  const seen = new Map(pages)
  const isFresh = (page: string): boolean => (pages.get(page) ?? 0) > (seen.get(page) ?? 0)
  const expected = [`${POOL} static`, `${POOL} php`, `${SERVED_BY_NODE} node`]
  const fresh = (): readonly string[] => [...pages.keys()].filter(isFresh)
  for (
    let tries = 0;
    tries < 600 && !expected.every((kind) => fresh().some((page) => page.startsWith(kind)));
    tries += 1
  )
    await pause(50)
  for (const page of fresh()) {
    const [domain = '', ...said] = page.split(' ')
    assert.equal(versionOf(said.join(' ')), wanted[domain], page)
  }
}

function requireWhole(page: string, published: ReadonlySet<string>): void {
  const version = versionOf(page.split(' ').slice(1).join(' '))
  assert.ok(version !== undefined && published.has(version), `of no release, or of several: ${page}`)
}
