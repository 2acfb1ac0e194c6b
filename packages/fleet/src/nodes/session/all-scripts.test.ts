import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import type { NodeScript } from '#/nodes/api.ts'

const SOURCES = resolve(import.meta.dirname, '../..')
type AnyScript = NodeScript<never, unknown>

const isScript = (value: unknown): value is AnyScript =>
  typeof value === 'object' && value !== null && 'source' in value && 'reasons' in value && 'read' in value

/** Every script that a module of the domains declares, by module and name. */
export async function allScripts(): Promise<ReadonlyMap<string, AnyScript>> {
  const found = new Map<string, AnyScript>()
  for (const path of globSync('**/commands/*.ts', { cwd: SOURCES, exclude: ['**/*.test.ts'] })) {
    const module: Readonly<Record<string, unknown>> = await import(resolve(SOURCES, path))
    for (const [name, value] of Object.entries(module))
      if (isScript(value)) found.set(`${path} ${name}`, value)
  }
  return found
}
