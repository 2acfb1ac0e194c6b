import { Refusal } from '#/console/refusal.ts'

/** What an installation finds on its machine. */
export interface Installed {
  /** Version that is in place. */
  readonly current: string | undefined
  /** The settings name an address to listen on, as they do once a gateway has served. */
  readonly listens: boolean
  /** A backup is being restored: its settings have the address of the machine from before. */
  readonly isRestoring: boolean
}

/** Another version goes through the upgrade, which can return; an installation that never served may change its mind. */
export function requireSameVersion(version: string, { current, listens, isRestoring }: Installed): void {
  const hasServed = listens && !isRestoring
  if (hasServed && current !== undefined && current !== version)
    throw new Refusal(
      `Version ${current} is already installed here; this release is ${version}.`,
      'fleet-gateway upgrade FOLDER-OR-ARCHIVE',
    )
}
