import * as z from 'zod'
import { operation } from '../operation.ts'
import { id, none } from '../params.ts'
import { firewallRule } from './records.ts'

const ANSWERED = 'Read from the records; no Node is contacted.'

export const firewallList = operation({
  name: 'firewall:list',
  group: 'Firewall',
  method: 'GET',
  path: '/firewall-rules',
  access: 'peer',
  input: z.strictObject(none),
  output: z.array(firewallRule),
  summary: 'List the firewall rules of all Nodes that the caller can access, sorted by Node and name',
  description: ANSWERED,
})

export const nodeFirewallList = operation({
  name: 'node:firewall:list',
  group: 'Firewall',
  method: 'GET',
  path: '/nodes/{node}/firewall-rules',
  access: 'node',
  input: z.strictObject({ node: id }),
  output: z.array(firewallRule),
  unknown: { node: 'node.not_found' },
  summary: 'List the operator firewall rules of a Node, sorted by name',
  description: ANSWERED,
})
