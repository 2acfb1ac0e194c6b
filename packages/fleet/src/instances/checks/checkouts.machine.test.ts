import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { repairOf } from '@fleet/contract/doctor-codes'
import { script } from '@fleet/shell'
import { fakeCall, localSession } from '@fleet/testing'
import { type InstancesFleet, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { makeCheckoutChecks, makeOriginChecks } from '#/instances/checks/checkouts.ts'
import { makeInstanceQueries } from '#/instances/queries.ts'
import { cloned, register } from '#/instances/registration/world.test.ts'

/** `family code resource: observed`, each family in one question. */
async function findings(fleet: InstancesFleet): Promise<readonly string[]> {
  const session = localSession(fleet.pool, { node: fleet.node })
  const deps = { queries: makeInstanceQueries(fleet.store) }
  const found: string[] = []
  for (const { family, checksOf } of [makeCheckoutChecks(deps), makeOriginChecks(deps)]) {
    const checks = await checksOf(fakeCall(), fleet.node)
    assert.ok(new Set(checks.map((check) => check.kind === 'asked' && check.question)).size <= 1)
    for (const check of checks) {
      assert.ok(check.kind === 'asked')
      const { source, args = [], read } = check.question
      const { exitCode, stdout } = await session.run(script(source, ...args), { timeoutSeconds: 20 })
      const answer = read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
      const verdict = await check.judge(answer)
      if (verdict && 'observed' in verdict) found.push(`${family} ${check.code}: ${verdict.observed}`)
    }
  }
  return found
}

const git = (checkout: string, ...words: readonly string[]): unknown =>
  execFileSync('git', ['-C', checkout, ...words], { stdio: 'pipe' })

test('each difference of a checkout has its own code, and none once it is undone [DRF-040, DRF-042, DRF-043]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  await fleet.create({ name: 'other' })
  const { checkout_path: at } = data
  const aside = `${at}.aside`
  assert.deepEqual(await findings(fleet), [])
  const origin = fleet.git.urlOf('app')
  const cases: ReadonlyArray<readonly [harm: () => unknown, undo: () => unknown, found: readonly string[]]> =
    [
      [
        () => renameSync(at, aside),
        () => renameSync(aside, at),
        ['instance instance.checkout_missing: none'],
      ],
      [
        () => {
          renameSync(at, aside)
          symlinkSync(aside, at)
        },
        () => {
          rmSync(at)
          renameSync(aside, at)
        },
        ['instance instance.source_layout_mismatch: another layout'],
      ],
      [
        () => {
          renameSync(`${at}/.git`, aside)
          writeFileSync(`${at}/.git`, `gitdir: ${aside}\n`)
        },
        () => {
          rmSync(`${at}/.git`)
          renameSync(aside, `${at}/.git`)
        },
        ['instance instance.source_layout_mismatch: another layout'],
      ],
      [
        () => {
          renameSync(at, aside)
          cpSync(aside, at, { recursive: true })
        },
        () => {
          rmSync(at, { recursive: true })
          renameSync(aside, at)
        },
        ['instance instance.source_identity_mismatch: another source'],
      ],
      [
        () => {
          mkdirSync(`${at}/.git/objects/info`, { recursive: true })
          writeFileSync(`${at}/.git/objects/info/alternates`, '/srv/objects\n')
        },
        () => rmSync(`${at}/.git/objects/info/alternates`),
        ['instance instance.repository_layout_mismatch: another layout'],
      ],
      [
        () => git(at, 'config', 'core.bare', 'true'),
        () => git(at, 'config', 'core.bare', 'false'),
        ['instance instance.repository_layout_mismatch: another layout'],
      ],
      [
        () => git(at, 'remote', 'set-url', 'origin', 'https://user:secret@example.com/other.git'),
        () => git(at, 'remote', 'set-url', 'origin', origin),
        [
          'instance instance.origin_mismatch: another',
          'project project.repository_origin_mismatch: another in feature',
        ],
      ],
      [
        () => git(at, 'remote', 'remove', 'origin'),
        () => git(at, 'remote', 'add', 'origin', origin),
        [
          'instance instance.origin_mismatch: another',
          'project project.repository_origin_mismatch: another in feature',
        ],
      ],
    ]
  for (const [harm, undo, found] of cases) {
    harm()
    assert.deepEqual(await findings(fleet), found)
    undo()
    assert.deepEqual(await findings(fleet), [])
  }
})

test('no setting of a checkout runs a program, and a file that its settings include is not read', async () => {
  await using fleet = await startInstancesFleet()
  const { checkout_path: at } = (await fleet.create()).data
  writeFileSync(`${at}/elsewhere`, '[remote "origin"]\n\turl = https://elsewhere.example/x.git\n')
  git(at, 'config', 'include.path', `${at}/elsewhere`)
  git(at, 'config', 'core.fsmonitor', `touch ${fleet.home}/ran; false`)
  assert.deepEqual(await findings(fleet), [])
  assert.throws(() => execFileSync('ls', [`${fleet.home}/ran`], { stdio: 'pipe' }))
})

test('a pipe in the place of a file of Git holds nothing up: it is another layout, or has no origin', async () => {
  await using fleet = await startInstancesFleet()
  const source = cloned(fleet, join(fleet.home, 'src'))
  git(source, 'worktree', 'add', '-q', '-b', 'beside', join(fleet.home, 'src', 'beside'))
  const { data } = await register(fleet, { source_path: source, include_worktrees: true })
  const main = join(data.app_instance.checkout_path, '.git')
  const origin = ['instance instance.origin_mismatch: another', 'instance instance.origin_mismatch: another']
  for (const [file, found] of [
    ['worktrees/beside/commondir', ['instance instance.repository_layout_mismatch: another layout']],
    ['config', [...origin, 'project project.repository_origin_mismatch: another in default, beside']],
  ] as const) {
    renameSync(join(main, file), join(main, 'aside'))
    execFileSync('mkfifo', [join(main, file)])
    assert.deepEqual(await findings(fleet), found, file)
    renameSync(join(main, 'aside'), join(main, file))
  }
  assert.deepEqual(await findings(fleet), [])
})

test('the command that is named for a missing checkout removes the Instance, and nothing is reported any more', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  rmSync(data.checkout_path, { recursive: true })
  assert.deepEqual(await findings(fleet), ['instance instance.checkout_missing: none'])
  const { command } = repairOf('instance.checkout_missing', {
    node_id: fleet.node.id,
    node_name: fleet.node.name,
    resource_id: data.id,
    resource_name: data.name,
  })
  assert.equal(command, `instance:destroy ${data.id} --force`)
  await fleet.destroy(data.id, true)
  assert.deepEqual(await findings(fleet), [])
})

test('a linked worktree is compared with its layout, its receipt and the repository that it belongs to [DRF-042, DRF-043]', async () => {
  await using fleet = await startInstancesFleet()
  const source = cloned(fleet, join(fleet.home, 'src'))
  git(source, 'worktree', 'add', '-q', '-b', 'beside', join(fleet.home, 'src', 'beside'))
  const { data } = await register(fleet, { source_path: source, include_worktrees: true })
  const [main, worktree] = data.instances.map(({ checkout_path }) => checkout_path)
  assert.ok(main !== undefined && worktree !== undefined)
  assert.deepEqual(await findings(fleet), [])
  const link = readFileSync(join(worktree, '.git'), 'utf8')
  const folder = join(main, '.git', 'worktrees', 'beside')
  const layout = 'instance instance.source_layout_mismatch: another layout'
  for (const other of [
    `gitdir: ${folder}/../beside\n`,
    `gitdir: ${fleet.home}/.git/worktrees/beside\n`,
    'gitdir: beside\n',
  ]) {
    writeFileSync(join(worktree, '.git'), other)
    assert.deepEqual(await findings(fleet), [layout], other)
  }
  writeFileSync(join(worktree, '.git'), link)
  renameSync(folder, `${folder}.aside`)
  assert.deepEqual(await findings(fleet), [layout])
  renameSync(`${folder}.aside`, folder)
  writeFileSync(join(folder, 'commondir'), '../../..\n')
  assert.deepEqual(await findings(fleet), ['instance instance.repository_layout_mismatch: another layout'])
  writeFileSync(join(folder, 'commondir'), '../..\n')
  cpSync(worktree, `${worktree}.copy`, { recursive: true })
  renameSync(worktree, `${worktree}.aside`)
  renameSync(`${worktree}.copy`, worktree)
  assert.deepEqual(await findings(fleet), ['instance instance.source_identity_mismatch: another source'])
})
