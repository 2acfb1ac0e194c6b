import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { GatewayOptions } from './gateway.ts'

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

/**
 * Where this gateway keeps its state and its source, which no Node may choose for its apps (NODE-107). A home reached
 * through a link counts under both names. What an installed release runs from is protected on every Node anyway.
 */
export function protectedPaths({
  home,
  release,
}: Pick<GatewayOptions, 'home' | 'release'>): readonly string[] {
  const own = release ? [home] : [home, CHECKOUT]
  return [...new Set(own.flatMap((path) => [path, realpathSync(path)]))]
}
