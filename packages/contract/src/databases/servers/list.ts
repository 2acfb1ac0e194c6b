import * as z from 'zod'
import { operation } from '../../operation.ts'
import { none } from '../../params.ts'
import { databaseServer } from '../records.ts'

export const databaseServerList = operation({
  name: 'database:server:list',
  group: 'Databases',
  method: 'GET',
  path: '/database-servers',
  access: 'gateway',
  input: z.strictObject(none),
  output: z.array(databaseServer),
  summary: 'List the database servers of the fleet, sorted by slug',
})
