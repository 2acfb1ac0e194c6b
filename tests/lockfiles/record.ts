// Makes the locks of `recorded/` again: node tests/lockfiles/record.ts npm /path/of/npm [bun /path/of/bun …].
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordComposer } from './composer.ts'
import { PHP_PROJECTS } from './composer-projects.ts'
import { type Manager, recordProject, type Recorded } from './managers.ts'
import { PROJECTS } from './projects.ts'
import { startRegistry } from './registry/server.ts'

async function record(manager: Manager, program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-locks-'))
  await using registry = await startRegistry()
  try {
    const recorded: Recorded[] = []
    for (const project of PROJECTS.filter(({ not }) => !not?.includes(manager)))
      recorded.push(await recordProject({ manager, program, folder, registry: registry.url }, project))
    write(manager, recorded)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function recordPhp(program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-locks-'))
  try {
    const recorded: Recorded[] = []
    for (const project of PHP_PROJECTS) recorded.push(await recordComposer(program, folder, project))
    write('composer', recorded)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function write(name: string, recorded: readonly Recorded[]): void {
  writeFileSync(new URL(`recorded/${name}.json`, import.meta.url), `${JSON.stringify(recorded, null, 2)}\n`)
  console.log(`${name}: ${recorded.length} projects`)
}

const [, , ...words] = process.argv
for (let at = 0; at < words.length; at += 2) {
  const [name = '', program = ''] = words.slice(at)
  if (name === 'npm' || name === 'pnpm' || name === 'bun') await record(name, program)
  else await recordPhp(program)
}
