import assert from 'node:assert/strict'
import type { ServerWorld } from './server-world.ts'

export interface ResultProofs {
  tenMillionRows(): Promise<void>
  gigabyte(): Promise<void>
}

const MEBIBYTE = 1024 ** 2

/** What a result takes of this process, whatever is behind it. */
export function resultProofs(world: () => ServerWorld): ResultProofs {
  /** Mebibytes that the process grows by at most while a statement is answered. */
  const growth = async (
    sql: string,
  ): Promise<{ readonly grown: number; readonly rows: readonly object[] }> => {
    const base = process.memoryUsage.rss()
    let most = base
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20)
    try {
      const { rows } = await world().databases.query(world().target, { sql, write: false })
      return { rows, grown: (Math.max(most, process.memoryUsage.rss()) - base) / MEBIBYTE }
    } finally {
      clearInterval(watch)
    }
  }
  return {
    tenMillionRows: async () => {
      const { admin } = world()
      await admin.query('create table ten_million (id int, what char(40)) engine = myisam')
      const digits = '(select seq - 1 as n from numbers where seq <= 10)'
      await admin.query(
        `insert into ten_million select n.seq, 'some text of a row' from numbers n, numbers m, ${digits} d`,
      )
      const [counted] = await admin.query('select count(*) as n from ten_million')
      assert.deepEqual(JSON.stringify(counted), '[{"n":10000000}]')
      for (const sql of [
        'select * from ten_million',
        'table ten_million',
        'select a.* from ten_million a, t',
        'with a as (select * from ten_million) select * from a',
      ]) {
        const { rows, grown } = await growth(sql)
        assert.equal(rows.length, 500)
        assert.ok(grown < 60, `${sql} took ${grown} MiB`)
      }
      await admin.query('drop table ten_million')
    },
    gigabyte: async () => {
      const { admin } = world()
      await admin.query('set global max_allowed_packet = 1073741824')
      const { rows, grown } = await growth("select repeat('x', 1073741800) as big, 5 as n")
      const [row] = rows
      assert.match(JSON.stringify(row), /^\{"big":"x{65536}… \[cut\]","n":5\}$/)
      assert.ok(grown < 120, `it took ${grown} MiB`)
      await admin.query('set global max_allowed_packet = default')
    },
  }
}
