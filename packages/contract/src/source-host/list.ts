import * as z from 'zod'
import { operation } from '../operation.ts'
import { gitHost } from './records.ts'

export const gitHostList = operation({
  name: 'git-host:list',
  group: 'Projects',
  method: 'GET',
  path: '/git-hosts',
  access: 'gateway',
  input: z.strictObject({}),
  output: z.array(gitHost),
  summary: 'List the Git hosts whose SSH host keys are recorded, by host and port',
})
