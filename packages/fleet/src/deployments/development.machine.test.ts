import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorRegistry } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { addStep, type FakeCall, fakeCall, testDomains } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { startInstancesFleet } from '@fleet/testing/instances-fleet'

async function startDefault() {
  const fleet = await startInstancesFleet()
  const { data: instance } = await fleet.create({ name: 'default' })
  const { handlers, workKinds } = testDomains({ store: fleet.store, ssh: fleet.pool }).deployments
  const kind = (name: string) => workKinds.find((known) => known.name === name) ?? assert.fail(name)
  /** The tick, and the work that it adds. */
  const watch = async (): Promise<readonly unknown[]> => {
    await kind('deployment:watch').run(fakeCall(), null)
    const due = await fleet.store.db
      .selectFrom('work')
      .selectAll()
      .where('kind', '=', 'deployment:run')
      .execute()
    await fleet.store.db.deleteFrom('work').execute()
    return due.map(({ payload }) => JSON.parse(payload))
  }
  return {
    fleet,
    instance,
    kind,
    watch,
    at: (path: string) => join(instance.checkout_path, path),
    deploy: async () => {
      const call = fakeCall()
      const { data, failure } = await handlers['instance:deploy']({ call, input: { instance: instance.id } })
      assert.equal(data.type, 'result')
      return { result: data.type === 'result' ? data : assert.fail(), call, cause: failure?.cause }
    },
    /** What the steps of a deployment have printed. */
    printed: async (deployment: number) => {
      const { data } = await handlers['deployment:show']({ call: fakeCall(), input: { deployment } })
      return data.events
        .map((event) => (event.type === 'output' ? Buffer.from(event.data_base64, 'base64').toString() : ''))
        .join('')
    },
    rows: () => fleet.store.db.selectFrom('deployments').selectAll().orderBy('id').execute(),
    /** One minute passes. */
    minute: async () => {
      const due = await watch()
      for (const payload of due) await kind('deployment:run').run(fakeCall({ caller: undefined }), payload)
      return due.length
    },
    step: (position: number, given: { readonly command: string; readonly required?: 0 | 1 }) =>
      addStep(fleet.store, { project_id: fleet.project.id, list: 'dev-deploy', position, ...given }),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

test('default is deployed in its checkout: its steps run there and its environment is not written [ENV-060]', async () => {
  await using world = await startDefault()
  writeFileSync(world.at('.env'), 'A=1\n')
  const before = statSync(world.at('.env')).mtimeMs
  const commit = world.fleet.git.commit('app', 'main', { 'new.txt': 'new' })
  await world.step(1, { command: 'cat new.txt >built.txt' })
  await world.fleet.store.db.updateTable('project_steps').set({ name: 'build' }).execute()
  const { result } = await world.deploy()
  assert.deepEqual([result.status, result.error_code], ['succeeded', null])
  assert.equal(readFileSync(world.at('built.txt'), 'utf8'), 'new')
  assert.equal(statSync(world.at('.env')).mtimeMs, before)
  assert.deepEqual(
    (await world.rows()).map((row) => [row.branch, row.commit_id, row.release, row.triggered_by]),
    [['main', commit, null, 'gateway']],
  )
})

test('a step that may fail does not fail the deployment, and one that must not does [DEPL-009]', async () => {
  await using world = await startDefault()
  await world.step(1, { command: 'exit 3', required: 0 })
  await world.step(2, { command: 'touch ../second' })
  const passed = await world.deploy()
  assert.deepEqual([passed.result.status, passed.call.notes.exitCode], ['succeeded', undefined])
  assert.ok(existsSync(world.at('../second')))
  const printed = async () => world.printed((await world.rows()).at(-1)?.id ?? 0)
  assert.equal(await printed(), 'The step step-1 may fail, and ended with exit status 3.\n')
  const { db } = world.fleet.store
  const change = (command: string) => db.updateTable('project_steps').set({ command, timeout_seconds: 1 })
  await change('nowhere').where('position', '=', 1).execute()
  await world.deploy()
  assert.match(
    await printed(),
    /The step step-1 may fail, and ended with exit status 127: the Node lacks a program that it runs, or may not run it\.\n$/,
  )
  await change('sleep 9').where('position', '=', 1).execute()
  assert.equal((await world.deploy()).result.status, 'succeeded')
  assert.equal(await printed(), 'The step step-1 may fail, and did not end within 1 s.\n')
  await world.step(3, { command: 'exit 4' })
  const { result, call } = await world.deploy()
  assert.deepEqual([result.failed_step, result.error_code], ['after_activation', 'deployment.step_failed'])
  assert.equal(call.notes.exitCode, 4)
})

test('an exit status of a step is its own, also one that programs use for a lack of time or a failed container [ACT-015]', async () => {
  await using world = await startDefault()
  await world.step(1, { command: 'exit 1' })
  for (const [command, status] of [
    ['exit 124', 124],
    ['timeout 0.1 sleep 9', 124],
    ['exit 125', 125],
    ['exit 255', 255],
    // The three that say how the Node could not run it, or not to its end.
    ['exit 240', 1],
    ['exit 241', 1],
    ['exit 242', 1],
  ] as const) {
    await world.fleet.store.db.updateTable('project_steps').set({ command }).execute()
    const { result, call } = await world.deploy()
    assert.deepEqual([result.error_code, call.notes.exitCode], ['deployment.step_failed', status], command)
  }
  await world.fleet.store.db
    .updateTable('project_steps')
    .set({ command: 'sleep 9', timeout_seconds: 1 })
    .execute()
  const { result, call } = await world.deploy()
  assert.deepEqual([result.error_code, call.notes.exitCode], ['deployment.step_timeout', undefined])
  assert.equal(
    await world.printed((await world.rows()).at(-1)?.id ?? 0),
    'The step step-1 did not end within 1 s.\n',
  )
})

test('what a step prints is shown without credentials, also those that nobody stored [GW-025]', async () => {
  await using world = await startDefault()
  await world.step(1, { command: 'echo from https://deploy:p4ssw0rd@host.test/x' })
  await world.deploy()
  const [row] = await world.rows()
  assert.equal(await world.printed(row?.id ?? 0), 'from https://deploy:[REDACTED]@host.test/x\n')
})

test('the commit of the last deployment that succeeded is what new Instances may start from [INS-014, PRJ-066]', async () => {
  await using world = await startDefault()
  const { fleet, instance } = world
  const show = fleet.domain.handlers['instance:show']
  const seed = async () => {
    const { data } = await show({ call: fleet.call(), input: { instance: instance.id } })
    const { data: all } = await fleet.domain.handlers['instance:list']({ call: fleet.call(), input: {} })
    assert.deepEqual([all[0]?.seed_path, all[0]?.seed_commit], [data.seed_path, data.seed_commit])
    return [data.seed_path, data.seed_commit]
  }
  assert.deepEqual(await seed(), [null, null])
  const commit = fleet.git.commit('app', 'main', { 'new.txt': 'new' })
  await world.deploy()
  assert.deepEqual(await seed(), [instance.checkout_path, commit])
  await world.step(1, { command: 'exit 1' })
  fleet.git.commit('app', 'main', { 'newer.txt': 'new' })
  assert.equal((await world.deploy()).result.status, 'failed')
  assert.deepEqual(await seed(), [instance.checkout_path, commit])
  const said = 'env | grep -e ^FLEET_SEED -e ^VP_HOME | sort >'
  const step = (list: 'setup' | 'teardown', file: string) =>
    addStep(fleet.store, {
      project_id: fleet.project.id,
      list,
      position: 1,
      command: `${said}${join(fleet.home, file)}`,
    })
  await step('setup', 'setup')
  await step('teardown', 'teardown')
  const saidIn = (file: string) => readFileSync(join(fleet.home, file), 'utf8')
  const { data: feature } = await fleet.create()
  assert.equal(saidIn('setup'), `FLEET_SEED_COMMIT=${commit}\nFLEET_SEED_PATH=${instance.checkout_path}\n`)
  mkdirSync(join(fleet.home, '.vite-plus', 'bin'), { recursive: true })
  const vp = join(fleet.home, '.vite-plus')
  writeFileSync(join(vp, 'bin', 'vp'), '', { mode: 0o755 })
  await fleet.domain.handlers['instance:setup']({ call: fleet.call(), input: { instance: feature.id } })
  assert.match(saidIn('setup'), new RegExp(`^FLEET_SEED_COMMIT=.*\nFLEET_SEED_PATH=.*\nVP_HOME=${vp}\n$`))
  await fleet.destroy(feature.id)
  assert.equal(saidIn('teardown'), `VP_HOME=${vp}\n`)
  await fleet.domain.handlers['instance:setup']({ call: fleet.call(), input: { instance: instance.id } })
  assert.equal(saidIn('setup'), `VP_HOME=${vp}\n`)
})

test('work in the checkout is never overwritten', async () => {
  await using world = await startDefault()
  writeFileSync(world.at('README.md'), 'mine')
  world.fleet.git.commit('app', 'main', { 'README.md': 'theirs' })
  const { result, cause } = await world.deploy()
  assert.deepEqual([result.failed_step, result.error_code], ['preparation', 'deployment.source_dirty'])
  const { id, name } = world.fleet.node
  assert.deepEqual(cause instanceof CodedError && cause.details, {
    node: { id, name },
    reason: 'dirty',
    cleanliness: 'dirty',
    files: ['README.md'],
    count: 1,
  })
  assert.equal(readFileSync(world.at('README.md'), 'utf8'), 'mine')
})

test('what keeps a deployment out of a checkout is output of the run: changes, commits of its own or another branch', async () => {
  await using world = await startDefault()
  const said = async () => {
    const { result } = await world.deploy()
    assert.deepEqual([result.failed_step, result.error_code], ['preparation', 'deployment.source_dirty'])
    return world.printed((await world.rows()).at(-1)?.id ?? 0)
  }
  writeFileSync(world.at('README.md'), 'mine')
  const [place, mended] = [
    `checkout ${world.instance.checkout_path} on the Node ${world.fleet.node.name}`,
    'Commit and push it, let Git ignore it, or remove it; then deploy again.\n',
  ]
  assert.equal(await said(), `The ${place} has uncommitted work: \`README.md\`. ${mended}`)
  git(world.at('.'), ['checkout', '-q', '.'])
  mkdirSync(world.at('new'))
  const names = ['a', 'b\nc\u001B[1m', 'c\u202E', 'p'.repeat(150), 'r', 's', 't']
  for (const name of names) writeFileSync(world.at(`new/${name}`), 'mine')
  const shown = ['a', 'b?c?[1m', 'c?', `${'p'.repeat(96)}…`, 'r'].map((name) => `\`new/${name}\``)
  assert.equal(await said(), `The ${place} has uncommitted work: ${shown.join(', ')} and 2 more. ${mended}`)
  git(world.at('.'), ['stash', '-q', '--include-untracked'])
  git(world.at('.'), ['stash', 'drop', '-q'])
  git(world.at('.'), ['switch', '-q', '-c', 'topic'])
  assert.match(
    await said(),
    /^The checkout is on the branch `topic`, and not on `main`\. .*`git switch main`/,
  )
  git(world.at('.'), ['switch', '-q', '--detach'])
  assert.match(await said(), /^The checkout is on no branch, and not on `main`\./)
  git(world.at('.'), ['switch', '-q', 'main'])
  git(world.at('.'), ['commit', '-q', '--allow-empty', '-m', 'mine'])
  world.fleet.git.commit('app', 'main', { 'README.md': 'theirs' })
  assert.match(await said(), /^The branch `main` of the checkout has commits that `origin\/main` lacks\./)
})

test('a command for the checkout quotes the name of the branch as a shell reads it', async () => {
  await using world = await startDefault()
  const branch = "it's;$a"
  world.fleet.git.commit('app', branch, { 'README.md': 'theirs' })
  await world.fleet.store.db.updateTable('instances').set({ selected_branch: branch }).execute()
  const said = async () => {
    await world.deploy()
    return world.printed((await world.rows()).at(-1)?.id ?? 0)
  }
  const words = (text: string, program: string) => {
    const command = new RegExp(`\`(git ${program} [^\`]+)\``).exec(text)?.[1] ?? ''
    return execFileSync('sh', ['-c', `printf '%s\n' ${command}`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n')
  }
  assert.deepEqual(words(await said(), 'switch'), ['git', 'switch', branch])
  git(world.at('.'), ['switch', '-q', '-c', branch])
  git(world.at('.'), ['commit', '-q', '--allow-empty', '-m', 'mine'])
  assert.deepEqual(words(await said(), 'reset'), ['git', 'reset', '--keep', `origin/${branch}`])
})

test('a stash, which may be that of another worktree, keeps no deployment out and stays', async () => {
  await using world = await startDefault()
  writeFileSync(world.at('README.md'), 'mine')
  git(world.at('.'), ['stash'])
  world.fleet.git.commit('app', 'main', { 'README.md': 'theirs' })
  const { result } = await world.deploy()
  assert.deepEqual([result.status, result.error_code], ['succeeded', null])
  assert.equal(readFileSync(world.at('README.md'), 'utf8'), 'theirs')
  assert.match(git(world.at('.'), ['stash', 'list']), /^stash@\{0\}/)
})

test('a branch that is gone at the origin is named in the output of the run', async () => {
  await using world = await startDefault()
  await world.fleet.store.db.updateTable('instances').set({ selected_branch: 'gone' }).execute()
  git(world.at('.'), ['switch', '-q', '-c', 'gone'])
  const { result } = await world.deploy()
  assert.equal(result.error_code, 'instance.branch_resolution_failed')
  assert.equal(
    await world.printed((await world.rows()).at(-1)?.id ?? 0),
    'The repository does not have the branch `gone`.\n',
  )
})

test('a file that Git ignores is never overwritten, and no folder of such files is removed: the deployment names what is in its way', async () => {
  await using world = await startDefault()
  writeFileSync(world.at('.env'), 'MINE=1\n')
  writeFileSync(world.at('.git/info/exclude'), '/.env\n/cache\n')
  const before = git(world.at('.'), ['rev-parse', 'HEAD'])
  const messageOf = async (path: string) => {
    const { result } = await world.deploy()
    assert.deepEqual([result.failed_step, result.error_code], ['preparation', 'deployment.source_dirty'])
    const printed = await world.printed((await world.rows()).at(-1)?.id ?? 0)
    assert.equal(
      printed,
      `The latest commit would overwrite \`${path}\` in the checkout ${world.instance.checkout_path} on the Node ${world.fleet.node.name}. Move the file away or delete it, then deploy again.\n`,
    )
  }
  world.fleet.git.commit('app', 'main', { '.env': 'THEIRS=1\n' })
  await messageOf('.env')
  world.fleet.git.commit('app', 'main', { '.env': null, cache: 'a file now\n' })
  mkdirSync(world.at('cache'))
  writeFileSync(world.at('cache/page'), 'mine')
  await messageOf('cache')
  assert.deepEqual(
    [readFileSync(world.at('.env'), 'utf8'), readFileSync(world.at('cache/page'), 'utf8')],
    ['MINE=1\n', 'mine'],
  )
  assert.equal(git(world.at('.'), ['rev-parse', 'HEAD']), before)
})

test('the lock of another Git and a full disk are named, and are no work of somebody', async () => {
  await using world = await startDefault()
  world.fleet.git.commit('app', 'main', { '.gitattributes': '*.bin filter=full\n', 'z.bin': 'content' })
  const lock = world.at('.git/index.lock')
  const outcome = async () => {
    const { result } = await world.deploy()
    return [result.error_code, await world.printed((await world.rows()).at(-1)?.id ?? 0)]
  }
  writeFileSync(lock, '')
  assert.deepEqual(await outcome(), [
    'instance.source_failed',
    `Git is locked in the checkout ${world.instance.checkout_path} on the Node ${world.fleet.node.name} by \`${lock}\`: a Git command is running there, or was cut off. If none is running, delete that file, then deploy again.\n`,
  ])
  rmSync(lock)
  const full = '[filter "full"]\nrequired = true\nsmudge = "echo No space left on device >&2; exit 1"\n'
  writeFileSync(join(world.fleet.home, '.gitconfig'), full)
  assert.deepEqual(await outcome(), ['instance.source_failed', 'The disk of the Node is full.\n'])
  rmSync(join(world.fleet.home, '.gitconfig'))
  assert.equal((await world.deploy()).result.status, 'succeeded')
})

test('a checkout that is gone, and one that is another, are named as what they are', async () => {
  await using world = await startDefault()
  const place = world.instance.checkout_path
  renameSync(place, `${place}-away`)
  assert.equal((await world.deploy()).result.error_code, 'instance.source_path_mismatch')
  cpSync(`${place}-away`, place, { recursive: true })
  assert.equal((await world.deploy()).result.error_code, 'instance.source_ownership_mismatch')
})

test('a Git server that fails, and a repository that cannot be read otherwise, are no missing branch', async () => {
  await using world = await startDefault()
  const said = async () => {
    const { result } = await world.deploy()
    assert.equal(result.error_code, 'instance.branch_resolution_failed')
    return world.printed((await world.rows()).at(-1)?.id ?? 0)
  }
  world.fleet.git.down = true
  assert.equal(
    await said(),
    'The repository cannot be read on the Node: its server answers with an error or breaks off its answer. Try again later.\n',
  )
  git(world.at('.'), ['remote', 'set-url', 'origin', 'ext::x'])
  assert.equal(await said(), 'The repository cannot be read on the Node.\n')
  assert.equal(
    errorRegistry['instance.branch_resolution_failed'].message,
    'The repository cannot be read, or it does not have this branch.',
  )
})

test('why Git could not read the repository is output of the run [DEPL-020]', async () => {
  await using world = await startDefault()
  git(world.at('.'), ['remote', 'set-url', 'origin', 'https://127.0.0.1:1/x'])
  const { result } = await world.deploy()
  assert.deepEqual(
    [result.failed_step, result.error_code],
    ['preparation', 'instance.branch_resolution_failed'],
  )
  const printed = (await world.rows()).flatMap(({ events }) =>
    events.flatMap((line) =>
      line.type === 'output' ? [[line.stream, Buffer.from(line.data_base64, 'base64').toString()]] : [],
    ),
  )
  const message = 'The repository cannot be read on the Node: its server refuses the connection.'
  assert.deepEqual(printed, [['stderr', `${message}\n`]])
})

test('a new commit of the branch is deployed once within a minute, by the schedule, after a first deployment by a person [DEPL-031, DEPL-033]', async () => {
  await using world = await startDefault()
  world.fleet.git.commit('app', 'main', { 'a.txt': '1' })
  assert.equal(await world.minute(), 0, 'nobody has deployed it')
  await world.deploy()
  assert.equal(await world.minute(), 0, 'nothing is new')
  const commit = world.fleet.git.commit('app', 'main', { 'a.txt': '2' })
  assert.equal(await world.minute(), 1)
  const latest = (await world.rows()).at(-1)
  assert.deepEqual(
    [latest?.triggered_by, latest?.commit_id, latest?.status],
    ['schedule', commit, 'succeeded'],
  )
  assert.equal(readFileSync(world.at('a.txt'), 'utf8'), '2')
  writeFileSync(world.at('a.txt'), 'mine')
  world.fleet.git.commit('app', 'main', { 'a.txt': '3' })
  assert.equal(await world.minute(), 1)
  assert.equal((await world.rows()).at(-1)?.status, 'failed')
  assert.equal(await world.minute(), 0, 'a commit is tried once')
  world.fleet.git.down = true
  assert.equal(await world.minute(), 0)
})

test('a commit of which the gateway stopped during the deployment is deployed by who takes the work next, and left alone after three stops [DEPL-033]', async () => {
  await using world = await startDefault()
  await world.deploy()
  const { db } = world.fleet.store
  const run = async (payload: unknown, stops: boolean) => {
    const closing = new AbortController()
    const call = fakeCall({ caller: undefined, signal: closing.signal })
    const publish: FakeCall['publish'] = async (type) => {
      if (stops && type === 'deployment.created') closing.abort()
    }
    await world.kind('deployment:run').run({ ...call, publish }, payload)
  }
  const settle = async () => {
    const due = await db.selectFrom('work').selectAll().where('kind', '=', 'deployment:settle').execute()
    for (const { payload } of due) await world.kind('deployment:settle').run(fakeCall(), JSON.parse(payload))
    await db.deleteFrom('work').execute()
  }
  const commit = world.fleet.git.commit('app', 'main', { 'a.txt': '1' })
  const [payload] = await world.watch()
  await assert.rejects(run(payload, true), { code: 'deployment.interrupted' })
  await settle()
  assert.deepEqual(
    (await world.rows()).slice(1).map((row) => [row.status, row.commit_id, row.error_code]),
    [['failed', commit, 'deployment.interrupted']],
  )
  await run(payload, false)
  assert.equal(readFileSync(world.at('a.txt'), 'utf8'), '1')
  await run(payload, false)
  assert.equal((await world.rows()).length, 3, 'it is deployed')
  world.fleet.git.commit('app', 'main', { 'a.txt': '2' })
  const [next] = await world.watch()
  for (let times = 0; times < 3; times += 1)
    await assert.rejects(run(next, true), { code: 'deployment.interrupted' })
  await run(next, false)
  await settle()
  await run(next, false)
  assert.deepEqual([(await world.rows()).length, readFileSync(world.at('a.txt'), 'utf8')], [6, '1'])
})
