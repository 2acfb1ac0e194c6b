import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'
import { databaseConnection } from './records.ts'

export const databaseList = operation({
  name: 'database:list',
  group: 'Databases',
  method: 'GET',
  path: '/database-connections',
  access: 'gateway',
  input: z.strictObject(none),
  output: z.array(databaseConnection),
  summary: 'List the database connections, sorted by slug',
})
