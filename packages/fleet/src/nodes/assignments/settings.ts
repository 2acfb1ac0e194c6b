import { Secret } from '@fleet/kernel'
import type { Place, Store } from '@fleet/store'
import { changeRole, type RoleRow } from '#/nodes/assignments/queries.ts'

/** What a role was given or generated for itself, such as credentials. Sealed where it is stored, and never answered (ROLE-033). */
export type RoleSettings = Readonly<Record<string, string | number>>

/** The sealed text is bound to its row and column: one that was moved does not open. */
export function readRoleSettings(
  { cipher }: Pick<Store, 'cipher'>,
  { id, settings }: Pick<RoleRow, 'id' | 'settings'>,
): RoleSettings {
  if (settings === null) return {}
  return JSON.parse(cipher.open(placeOf(id), settings).reveal()) as RoleSettings // Written only by the function below.
}

/** Adds what is missing; a stored value is never overwritten (ROLE-036). */
export async function putRoleSettings(
  { db, cipher }: Pick<Store, 'db' | 'cipher'>,
  row: Pick<RoleRow, 'id' | 'settings'>,
  given: RoleSettings,
): Promise<void> {
  const stored = readRoleSettings({ cipher }, row)
  const merged = { ...given, ...stored }
  if (Object.keys(merged).length === Object.keys(stored).length) return
  await changeRole(db, row.id, { settings: cipher.seal(placeOf(row.id), new Secret(JSON.stringify(merged))) })
}

/** Replaces single settings; the others stay. */
export async function changeRoleSettings(
  { db, cipher }: Pick<Store, 'db' | 'cipher'>,
  row: Pick<RoleRow, 'id' | 'settings'>,
  given: RoleSettings,
): Promise<void> {
  const changed = { ...readRoleSettings({ cipher }, row), ...given }
  await changeRole(db, row.id, {
    settings: cipher.seal(placeOf(row.id), new Secret(JSON.stringify(changed))),
  })
}

const placeOf = (id: number): Place => ({ table: 'node_roles', column: 'settings', row: String(id) })
