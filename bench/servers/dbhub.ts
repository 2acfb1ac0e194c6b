import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** DBHub (`@bytebase/dbhub`) in front of a database, asked over MCP. */
export interface Dbhub extends AsyncDisposable {
  read(sql: string): Promise<void>
}

/** Folder with DBHub and the driver `pg`, or why there is none. It is no dependency: it brings a server of its own. */
export const dbhubFolder = (): string | undefined => {
  const folder = process.env['FLEET_BENCH_DBHUB']
  return folder !== undefined && existsSync(join(folder, 'node_modules/.bin/dbhub')) ? folder : undefined
}

export const DBHUB_MISSING =
  'no DBHub: `npm install --prefix DIR @bytebase/dbhub pg`, then FLEET_BENCH_DBHUB=DIR'

export async function startDbhub(folder: string, port: number, dsn: string): Promise<Dbhub> {
  const words = ['--transport', 'http', '--port', String(port), '--dsn', dsn]
  const child = spawn(join(folder, 'node_modules/.bin/dbhub'), words, { cwd: folder, stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}/mcp`
  const read = async (sql: string): Promise<void> => {
    const call = { name: 'execute_sql', arguments: { sql } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const answer = await fetch(url, { method: 'POST', headers, body })
    const text = await answer.text()
    if (!text.includes('\\"success\\": true'))
      throw new Error(`DBHub answered ${answer.status}: ${text.slice(0, 200)}`)
  }
  await answers(child, () => read('select 1'))
  return {
    read,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.kill()) await once(child, 'exit')
    },
  }
}

async function answers(child: ChildProcess, ask: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (child.exitCode !== null) throw new Error(`DBHub ended with ${child.exitCode}`)
    try {
      return await ask()
    } catch {
      await setTimeout(100)
    }
  }
  child.kill()
  throw new Error('DBHub did not answer')
}
