import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Everything below the apps root of a Node down to the checkouts: `shop`, `shop/default`. */
export function checkoutsOn(nodeHome: string): readonly string[] {
  const apps = join(nodeHome, 'apps')
  return foldersIn(apps)
    .flatMap((project) => [project, ...foldersIn(join(apps, project)).map((name) => `${project}/${name}`)])
    .toSorted()
}

/**
 * Paths inside a checkout that say whether work was left half done: all but Git's objects, whose files differ from one
 * fetch to the next, and with the name of the branch taken out.
 */
export function shapeOf(checkout: string, branch: string): readonly string[] {
  return readdirSync(checkout, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.git/objects/'))
    .map((path) => path.replaceAll(branch, '<branch>'))
    .toSorted()
}

const foldersIn = (path: string): readonly string[] => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Rows of the store that no finished work leaves behind. */
export function residueInStore(home: string): Readonly<Record<string, unknown>> {
  using store = openStore(home)
  const rows = (sql: string): unknown[] => store.db.prepare(sql).all()
  return {
    locks: rows('SELECT name, operation FROM locks'),
    instances: rows(
      "SELECT name, status, failed_step FROM instances WHERE status <> 'active' OR failed_step IS NOT NULL",
    ),
    files: rows('SELECT instance_id FROM environment_files WHERE pending_keys IS NOT NULL'),
    running: rows("SELECT command FROM activities WHERE status = 'running'"),
  }
}

export const NO_RESIDUE = { locks: [], instances: [], files: [], running: [] } as const

/** `status error_code` of the Activity rows of a request. */
export function activityOf(home: string, requestId: string): readonly string[] {
  using store = openStore(home)
  return store.db
    .prepare('SELECT status, error_code FROM activities WHERE request_id = ?')
    .all(requestId)
    .map((row) => `${row['status']} ${row['error_code']}`)
}

/** The Node answers on another port from now on, as far as the gateway knows. */
export function moveSsh(home: string, node: string, port: number): void {
  using store = openStore(home, false)
  store.db.prepare('UPDATE nodes SET ssh_port = ? WHERE name = ?').run(port, node)
}

export function sshPortOf(home: string, node: string): number {
  using store = openStore(home)
  return Number(store.db.prepare('SELECT ssh_port FROM nodes WHERE name = ?').get(node)?.['ssh_port'])
}

function openStore(home: string, readOnly = true): { readonly db: DatabaseSync } & Disposable {
  const db = new DatabaseSync(join(home, 'gateway.sqlite'), { readOnly, timeout: 5000 })
  return { db, [Symbol.dispose]: () => db.close() }
}
