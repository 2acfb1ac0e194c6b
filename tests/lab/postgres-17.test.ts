import { testPostgresSpares } from '../databases/postgres-spares.ts'
import { testPostgres } from '../databases/postgres-tests.ts'
import { startPostgresWorld } from '../databases/postgres-world.ts'
import { serverTree } from './server-tree.ts'

const { path, missing } = await serverTree('postgres-17')
const start = () => startPostgresWorld({ path, version: 17 })

testPostgres({
  product: 'PostgreSQL 17',
  version: 17,
  missing,
  start,
  rows: {
    rowLimit: 'a result has at most 500 rows and says whether there are more [DB-054] [DB-055] [LIM-009]',
    passwordIsReplaced:
      'the stored password is replaced in every encoding that the server prints for free [DB-057]',
    writes: 'a write runs with its flag and answers the count of rows [DB-056]',
    twoStatements: 'two statements are refused to a write too [DB-058]',
    foreignVerbs:
      'a verb that writes on other engines needs write, although this one has no such statement [DB-059]',
    errors: 'an error of the server is its condition and place, without text of the server [DB-071]',
    unknownTable: 'an unknown table is missing [DB-070]',
  },
})

testPostgresSpares('PostgreSQL 17', start, missing)
