// A sample of the projects with the managers that this machine has: what `recorded/` holds is still what they do.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readDependencies } from '@fleet/lockfiles'
import { sampled } from '@fleet/testing/sample'
import { agreementOf } from './agreement.ts'
import { lockedNames, recordComposer } from './composer.ts'
import { PHP_PROJECTS } from './composer-projects.ts'
import { type Manager, recordProject } from './managers.ts'
import { PROJECTS } from './projects.ts'
import { startRegistry } from './registry/server.ts'
import { reportedByBun, reportedByNpm, reportedByPnpm } from './reported.ts'

const MODULES = join(import.meta.dirname, '../../node_modules')

const PROGRAMS: Readonly<Record<Manager, string>> = {
  npm: 'npm',
  pnpm: join(MODULES, 'pnpm/bin/pnpm.cjs'),
  bun: join(MODULES, '@oven/bun-linux-x64/bin/bun'),
}

/** Why a manager cannot run here, or false. */
const lacks = (program: string): string | false =>
  (program.includes('/') ? existsSync(program) : spawnSync(program, ['--version']).status === 0)
    ? false
    : `${program} is not installed`

for (const manager of ['npm', 'pnpm', 'bun'] as const)
  test(
    `${manager} itself agrees about projects that it locks now`,
    { skip: lacks(PROGRAMS[manager]) },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'fleet-locks-'))
      await using registry = await startRegistry()
      try {
        const mine = PROJECTS.filter(({ not }) => !not?.includes(manager))
        for (const project of sampled(mine, manager === 'bun' ? 5 : 15)) {
          const run = { manager, program: PROGRAMS[manager], folder, registry: registry.url }
          const recorded = await recordProject(run, project)
          const { javascript } = readDependencies(recorded.files)
          const graph =
            javascript.status === 'read' ? javascript.graph : assert.fail(JSON.stringify(javascript))
          if (manager === 'bun')
            assert.ok(reportedByBun(recorded).length <= graph.resolutions.length, project.name)
          else
            assert.deepEqual(
              agreementOf(graph),
              manager === 'npm' ? reportedByNpm(recorded) : reportedByPnpm(recorded),
              project.name,
            )
        }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )

test('Composer itself agrees about projects that it locks now', { skip: lacks('composer') }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-locks-'))
  try {
    for (const project of sampled(PHP_PROJECTS, 15)) {
      const recorded = await recordComposer('composer', folder, project)
      const { composer } = readDependencies(recorded.files)
      const graph = composer.status === 'read' ? composer.graph : assert.fail(JSON.stringify(composer))
      assert.deepEqual(
        graph.resolutions.map(({ id }) => id).toSorted(),
        lockedNames(recorded.all),
        project.name,
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
