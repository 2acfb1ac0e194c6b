import assert from 'node:assert/strict'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { deploymentLine, fail } from '@fleet/contract'
import { addCluster, addRoute, type FakeCall, fakeCall } from '@fleet/testing'
import { startWorld } from '#/deployments/world.test.ts'

test('a deployment makes a release of the latest commit and selects it, in this layout and with these phases [DEPL-010, DEPL-011, DEPL-012, DEPL-014]', async () => {
  await using world = await startWorld()
  const commit = world.fleet.git.commit('app', 'main', { 'index.txt': 'one' })
  const ran = await world.deploy()
  assert.equal(ran.failure, undefined, JSON.stringify(ran.result))
  assert.deepEqual(ran.phases, [
    'source_preparation',
    'environment_sync',
    'before_activation',
    'activation',
    'after_activation',
    'cleanup',
  ])
  const [release = ''] = world.releases()
  assert.match(release, /^\d{14}-\d+$/)
  assert.deepEqual(world.releases(), [release])
  assert.ok(lstatSync(join(world.home, 'current')).isSymbolicLink())
  assert.equal(world.current(), `releases/${release}`)
  assert.equal(readFileSync(join(world.home, 'current/index.txt'), 'utf8'), 'one')
  const row = await world.row()
  assert.deepEqual(
    [row.status, row.release, row.branch, row.commit_id, row.selected_release, row.triggered_by],
    ['succeeded', release, 'main', commit, release, 'gateway'],
  )
  assert.equal((await world.stored()).selected_release, release)
  assert.ok(world.fleet.pool.executed.every((shown) => !shown.includes('systemctl')))
})

test('a deployment that selects its release has the public Routes of its Cluster tried again that are not open yet; any other has not [RTX-050]', async () => {
  await using world = await startWorld()
  const { db } = world.store
  const tries = () =>
    db.selectFrom('work').select('payload').where('kind', '=', 'route:publish-waiting').execute()
  assert.equal((await world.deploy()).failure, undefined)
  assert.deepEqual(await tries(), [], 'the Node is in no Cluster')
  const { id } = await addCluster(world.store, { state: 'active' }, [world.fleet.node])
  await world.steps({ name: 'fails', command: 'false' })
  assert.ok((await world.deploy()).failure)
  assert.deepEqual(await tries(), [])
  await world.steps()
  assert.equal((await world.deploy()).failure, undefined)
  assert.deepEqual(await tries(), [{ payload: JSON.stringify({ cluster_id: id }) }])
})

test('every line has its type, count and request, and the last one is the result [DEPL-018, DEPL-019, DEPL-020, DEPL-021]', async () => {
  await using world = await startWorld()
  await world.steps({ name: 'say', command: 'echo out; echo err >&2' })
  const ran = await world.deploy()
  for (const [index, line] of ran.lines.entries()) {
    assert.deepEqual(deploymentLine.parse(line), line)
    assert.deepEqual([line.sequence, line.request_id], [index + 1, ran.call.requestId])
    assert.ok(Buffer.byteLength(JSON.stringify(line)) <= 32 * 1024)
  }
  const printed = ran.lines.flatMap((line) =>
    line.type === 'output' ? [[line.stream, Buffer.from(line.data_base64, 'base64').toString()]] : [],
  )
  assert.deepEqual(
    printed.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    [
      ['stderr', 'err\n'],
      ['stdout', 'out\n'],
    ],
  )
  const { status, failed_step, error_code, selected_release } = ran.result
  assert.deepEqual(
    [ran.lines.at(-1)?.type, status, failed_step, error_code, selected_release],
    ['result', 'succeeded', null, null, world.releases()[0]],
  )
})

test('steps run in order in the root of the release, after its environment was written and before or after it is selected [DEPL-013, ENV-019, ENV-059]', async () => {
  await using world = await startWorld()
  await world.store.db
    .updateTable('instances')
    .set({ profile: { application_directory: 'app', framework: null, php: false } })
    .execute()
  world.fleet.git.commit('app', 'main', { 'app/x': '', 'app/.env': 'FROM=git\n' })
  const look =
    'echo "$(pwd) $(readlink ../../current || echo none) $(readlink app/.env) $(test -f ../../.env && echo written)"'
  await world.steps(
    { name: 'first', command: look },
    { name: 'second', command: 'echo second' },
    { name: 'later', command: look, phase: 'after_activation' },
  )
  const ran = await world.deploy()
  assert.deepEqual(ran.phases.slice(2), [
    'before_activation',
    'before_activation/first',
    'before_activation/second',
    'activation',
    'after_activation',
    'after_activation/later',
    'cleanup',
  ])
  const [release = ''] = world.releases()
  const root = join(world.home, 'releases', release)
  const env = join(world.home, '.env')
  assert.equal(
    ran.printed,
    `${root} none ${env} written\nsecond\n${root} releases/${release} ${env} written\n`,
  )
  assert.equal(readlinkSync(join(root, 'app/.env')), env)
})

test('a file of another directory of the home is linked into each release that has the directory, and kept for later ones [RTE-154]', async () => {
  await using world = await startWorld()
  const kept = join(world.home, 'env/apps/api/.env')
  mkdirSync(dirname(kept), { recursive: true })
  writeFileSync(kept, 'API=1\n')
  world.fleet.git.commit('app', 'main', { 'apps/api/index.txt': '' })
  assert.equal((await world.deploy()).failure, undefined)
  assert.equal(readlinkSync(join(world.home, 'current/apps/api/.env')), kept)
  world.fleet.git.commit('app', 'main', { 'apps/api/index.txt': null, 'other.txt': '' })
  assert.equal((await world.deploy()).failure, undefined)
  assert.equal(existsSync(join(world.home, 'current/apps')), false)
  assert.equal(readFileSync(kept, 'utf8'), 'API=1\n')
  // The file may have come after the release that is taken again.
  const [first = ''] = world.releases()
  rmSync(join(world.home, 'releases', first, 'apps/api/.env'))
  await world.rollback(first)
  assert.equal(readlinkSync(join(world.home, 'current/apps/api/.env')), kept)
})

test('a directory that a release has no more holds up nothing, and one that cannot have its file is named with the reason [RTE-154]', async () => {
  await using world = await startWorld()
  const kept = join(world.home, 'env/apps/api/.env')
  mkdirSync(dirname(kept), { recursive: true })
  writeFileSync(kept, 'API=1\n')
  world.fleet.git.commit('app', 'main', { apps: 'a file' })
  assert.equal((await world.deploy()).failure, undefined)
  const [first = ''] = world.releases()
  rmSync(join(world.home, 'releases', first, 'apps'))
  symlinkSync('elsewhere', join(world.home, 'releases', first, 'apps'))
  assert.equal((await world.rollback(first)).failure, undefined)
  world.fleet.git.commit('app', 'main', { apps: null, 'apps/api/.env/file': '' })
  const occupied = await world.deploy()
  assert.deepEqual(
    [occupied.failure, occupied.printed],
    [
      'deployment.environment_link_failed',
      'The `.env` file could not be linked into `apps/api` of the release: a directory has that name there. The previous release is still selected.\n',
    ],
  )
  await world.store.db
    .updateTable('instances')
    .set({ profile: { application_directory: 'web', framework: null, php: false } })
    .execute()
  assert.match(
    (await world.deploy()).printed,
    /into `web` of the release: the release has no such directory\./,
  )
})

test('a failure before the activation keeps the earlier release, and nothing of the new one stays [DEPL-022, DEPL-027]', async () => {
  await using world = await startWorld()
  await world.deploy()
  const kept = world.releases()
  await world.steps({ name: 'bad', command: 'echo why; exit 3' })
  const step = await world.deploy()
  assert.deepEqual(
    [step.result.status, step.result.failed_step, step.result.error_code, step.result.selected_release],
    ['failed', 'before_activation', 'deployment.step_failed', kept[0]],
  )
  assert.equal(step.failure, 'deployment.step_failed')
  assert.equal(step.printed, 'why\nThe step bad ended with exit status 3.\n')
  assert.equal(step.call.notes.exitCode, 3)
  world.fleet.git.down = true
  const source = await world.deploy()
  world.fleet.git.down = false
  assert.deepEqual(
    [source.result.failed_step, source.result.error_code],
    ['preparation', 'instance.branch_resolution_failed'],
  )
  const { repository_url } = world.fleet.project
  const moveTo = (url: string) =>
    world.store.db.updateTable('projects').set({ repository_url: url }).execute()
  await moveTo('https://127.0.0.1:1/x')
  assert.match(
    (await world.deploy()).printed,
    /^The repository cannot be read .*: its server refuses the connection\.\n$/,
  )
  await moveTo(repository_url)
  await world.store.db.updateTable('instances').set({ deployment_branch: 'nowhere' }).execute()
  assert.equal((await world.deploy()).result.failed_step, 'preparation')
  await world.store.db.updateTable('instances').set({ deployment_branch: null }).execute()
  writeFileSync(join(world.home, '.env'), 'OTHERS=1\n')
  const environment = await world.deploy()
  assert.deepEqual(
    [environment.result.failed_step, environment.result.error_code, environment.printed],
    ['environment', 'env.sync_would_drop_keys', 'keys: OTHERS\n'],
  )
  assert.deepEqual(world.releases(), kept)
  assert.equal(world.current(), `releases/${kept[0]}`)
})

test('a failure after the activation keeps the new release [DEPL-022, DEPL-027]', async () => {
  await using world = await startWorld()
  await world.deploy()
  await world.steps({ name: 'bad', command: 'exit 1', phase: 'after_activation' })
  const later = await world.deploy()
  assert.deepEqual(
    [later.result.failed_step, later.result.error_code],
    ['after_activation', 'deployment.step_failed'],
  )
  assert.equal(world.current(), `releases/${later.result.selected_release}`)
  assert.equal(later.result.selected_release, (await world.row()).release)
  await world.steps()
  world.php.has = true
  world.php.fails = fail('deployment.activation_failed')
  const php = await world.deploy()
  assert.deepEqual([php.result.failed_step, php.phases.at(-1)], ['cache_refresh', 'php_refresh'])
  assert.equal(php.result.selected_release, (await world.row()).release)
  assert.deepEqual(world.php.refreshed, [`releases/${php.result.selected_release}`])
})

test('a release that the PHP of its Instance cannot run is refused before it is selected, and deleted [DEPL-015]', async () => {
  await using world = await startWorld()
  world.php.has = true
  const first = await world.deploy()
  assert.deepEqual(world.php.checked, [first.result.selected_release])
  world.php.refuses = fail('app-prod.php_version_unsupported')
  const ran = await world.deploy()
  assert.deepEqual(
    [ran.result.failed_step, ran.result.error_code, ran.result.selected_release],
    ['preparation', 'app-prod.php_version_unsupported', first.result.selected_release],
  )
  assert.deepEqual(world.releases(), [first.result.selected_release])
})

test('what the web server must not serve fails the activation, not the step before it, and is output of the run; the release is deleted [RTE-136, DEPL-022, DEPL-027]', async () => {
  await using world = await startWorld()
  const first = await world.deploy()
  await world.steps({ name: 'composer', command: 'true' })
  await addRoute(world.store, world.instance, { has_source: 1 })
  world.access.refuses = fail('app-prod.web_root_invalid', {
    message: 'public/shadow is a symbolic link.',
    details: { path: 'public/shadow' },
  })
  const ran = await world.deploy()
  assert.deepEqual(
    [ran.result.failed_step, ran.result.error_code, ran.result.selected_release, ran.phases.at(-1)],
    ['activation', 'app-prod.web_root_invalid', first.result.selected_release, 'activation'],
  )
  assert.equal(ran.printed, 'public/shadow is a symbolic link.\n')
  assert.deepEqual(world.releases(), [first.result.selected_release])
})

test('a link that cannot be moved fails the activation, and the earlier release stays [DEPL-022, DEPL-027]', async () => {
  await using world = await startWorld()
  await world.deploy()
  const [kept] = world.releases()
  world.fleet.pool.failBefore((shown) => shown.includes('select release'))
  const ran = await world.deploy()
  assert.deepEqual(
    [ran.result.failed_step, ran.result.error_code, ran.result.selected_release],
    ['activation', 'node.unreachable', kept],
  )
  world.fleet.pool.clearFaults()
  world.fleet.pool.loseReplyOf((shown) => shown.includes('select release'))
  const lost = await world.deploy()
  assert.equal(lost.result.failed_step, 'activation')
  assert.equal(lost.result.selected_release, (await world.row()).release, 'the Node says what it serves')
})

test('a home that is missing is named, in a refusal and in the output of a run', async () => {
  await using world = await startWorld()
  await world.deploy()
  const [kept = ''] = world.releases()
  renameSync(world.home, `${world.home}.aside`)
  const message = `The home of the production Instance is missing on the Node: ${world.home}.`
  const releases = world.domain.handlers['instance:releases']({
    call: fakeCall(),
    input: { instance: world.instance.id },
  })
  await assert.rejects(releases, (error: { readonly details: unknown; readonly message: string }) => {
    assert.equal(error.message, message)
    assert.partialDeepStrictEqual(error.details, { reason: 'home_missing', path: world.home })
    return true
  })
  const ran = await world.deploy()
  assert.deepEqual([ran.result.error_code, ran.printed], ['deployment.releases_unreadable', `${message}\n`])
  await assert.rejects(world.rollback(kept), { message })
})

test('three releases are kept: the new one, the previous one and the newest other; what cannot be deleted is a warning [DEPL-016]', async () => {
  await using world = await startWorld()
  const [first] = [await world.deploy(), await world.deploy(), await world.deploy()]
  const fourth = await world.deploy()
  const kept = world.releases()
  assert.equal(kept.length, 3)
  assert.deepEqual(
    [first.printed, fourth.printed],
    ['', `Deleting the release ${first.result.selected_release} and everything in it.\n`],
  )
  await world.rollback(kept[0] ?? '')
  await world.deploy()
  assert.deepEqual(world.releases(), [kept[0], kept[2], (await world.row()).release])
  world.fleet.pool.failBefore((shown) => shown.includes('discard'))
  const ran = await world.deploy()
  assert.equal(ran.result.status, 'succeeded')
  assert.ok(ran.call.logged.some((text) => text.includes('could not be deleted')))
  assert.equal(world.releases().length, 4)
  world.fleet.pool.clearFaults()
})

test('a release that is made after the clock was set back is the newest one, and the newest other stays [DEPL-016]', async () => {
  await using world = await startWorld()
  await world.deploy()
  const [made = ''] = world.releases()
  const ahead = '20990102030459-1'
  renameSync(join(world.home, 'releases', made), join(world.home, 'releases', ahead))
  rmSync(join(world.home, 'current'))
  symlinkSync(`releases/${ahead}`, join(world.home, 'current'))
  const names: string[] = []
  for (let count = 0; count < 3; count += 1) names.push((await world.deploy()).result.selected_release ?? '')
  assert.deepEqual(world.releases(), names)
  assert.ok((names[0] ?? '') > ahead)
  assert.equal((await world.row()).release, names[2])
})

test('a rollback selects a kept release without a fetch, the environment or a step [DEPL-017, DEPL-028]', async () => {
  await using world = await startWorld()
  await world.steps(
    { name: 'ran', command: 'true' },
    { name: 'later', command: 'true', phase: 'after_activation' },
  )
  await world.deploy()
  await world.deploy()
  const [first = '', second = ''] = world.releases()
  world.fleet.git.down = true
  world.php.has = true
  const before = world.fleet.pool.executed.length
  const ran = await world.rollback(first)
  assert.deepEqual(
    [ran.phases, ran.result.status, ran.result.selected_release],
    [['rollback'], 'succeeded', first],
  )
  assert.equal(world.current(), `releases/${first}`)
  assert.deepEqual(world.php.refreshed, [`releases/${first}`])
  const commands = world.fleet.pool.executed.slice(before).map((shown) => /'([^']+)'/.exec(shown)?.[1])
  assert.deepEqual(commands, ['list releases', 'link environment', 'select release'])
  const row = await world.row()
  assert.deepEqual([row.release, row.branch, row.commit_id], [first, null, null])
  assert.deepEqual(world.releases(), [first, second])
})

test('a release that is not there is refused before anything changes, and its stream never opens [DEPL-035]', async () => {
  await using world = await startWorld()
  await world.deploy()
  const count = (await world.rows()).length
  await assert.rejects(world.rollback('20200101000000-1'), {
    code: 'validation.failed',
    status: 422,
    details: {
      errors: { release: [`must be one that the Instance still has: ${world.releases().join(', ')}`] },
    },
  })
  assert.equal((await world.rows()).length, count)
  assert.equal(world.current(), `releases/${world.releases()[0]}`)
})

test('an Instance that cannot be deployed gets a failed result and no row [DEPL-023]', async () => {
  await using world = await startWorld({ environment: 'development', name: 'feature' })
  for (const ran of [await world.deploy(), await world.rollback('x')]) {
    assert.deepEqual(
      [ran.result.status, ran.result.failed_step, ran.result.error_code, ran.failure],
      ['failed', 'operation', 'deployment_config.unavailable', 'deployment_config.unavailable'],
    )
  }
  assert.deepEqual(await world.rows(), [])
})

test('a second deployment of the Instance waits for the first, and an inactive Node is refused [ENV-061]', async () => {
  await using world = await startWorld()
  await world.steps({ name: 'slow', command: 'sleep 1' })
  const [one, other] = await Promise.all([world.deploy(), world.deploy()])
  assert.deepEqual([one.result.status, other.result.status], ['succeeded', 'succeeded'])
  const [first, second] = await world.rows()
  assert.ok((first?.finished_at ?? '') <= (second?.started_at ?? ''))
  await world.store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  await assert.rejects(world.deploy(), { code: 'node.not_active', status: 409 })
})

test('the end of a deployment is published before the start of the one that waited for it, also when it fails', async () => {
  await using world = await startWorld()
  await world.steps({ name: 'bad', command: 'exit 1' })
  const seen: string[] = []
  const deploy = () => {
    const call = fakeCall()
    // As in the gateway, where nothing else is seen before the request has ended.
    const publish: FakeCall['publish'] = async (type) => void seen.push(type)
    const input = { instance: world.instance.id }
    return world.domain.handlers['instance:deploy']({ call: { ...call, publish }, input })
  }
  await Promise.all([deploy(), deploy()])
  const both = ['deployment.created', 'deployment.updated']
  assert.deepEqual(seen, [...both, ...both])
})

test('its start and its end are published, the end of a failed one too, and never as changes of the Instance [EV-056, EV-057, EV-081, EV-084, DEPL-030, DEPL-031]', async () => {
  await using world = await startWorld()
  const shown = async () => {
    const { data } = await world.domain.handlers['instance:deployments']({
      call: (await world.deploy()).call,
      input: { instance: world.instance.id },
    })
    return data
  }
  await world.steps({ name: 'bad', command: 'exit 1' })
  const [row] = await shown()
  const last = (await world.deploy()).call.events
  assert.deepEqual(
    last.map(({ type }) => type),
    ['deployment.created', 'deployment.updated'],
  )
  const [latest] = (
    await world.domain.handlers['instance:deployments']({
      call: (await world.deploy()).call,
      input: { instance: world.instance.id },
    })
  ).data.slice(1)
  assert.deepEqual(last[1]?.data, latest)
  const begun = last[0]?.data as typeof latest // The event of a deployment has its record.
  assert.deepEqual([begun?.id, begun?.status, begun?.finished_at], [latest?.id, 'running', null])
  assert.equal(row?.triggered_by, 'gateway')
  assert.equal(typeof row?.duration_seconds, 'number')
  assert.ok(!Object.hasOwn(row ?? {}, 'events'))
})
