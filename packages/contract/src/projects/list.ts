import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'
import { project } from './records.ts'

export const projectList = operation({
  name: 'project:list',
  group: 'Projects',
  method: 'GET',
  path: '/projects',
  access: 'peer',
  input: z.strictObject(none),
  output: z.array(project),
  summary: 'List the Projects that the caller can access, sorted by slug',
})
