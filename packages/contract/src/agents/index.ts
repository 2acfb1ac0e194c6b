import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'
import {
  AGENT_LOG_STREAMS_MAX,
  AGENT_WORKSPACES_MAX,
  agentLogStream,
  agentRealtime,
  agentWorkspace,
  channelSignature,
} from './records.ts'

export * from './records.ts'

const callback = { group: 'Agents', access: 'agent', tool: false } as const

export const agentRealtimeShow = operation({
  ...callback,
  name: 'agent:realtime',
  method: 'GET',
  path: '/agent/realtime',
  input: z.strictObject(none),
  output: agentRealtime,
  summary: 'Show an agent the address of the realtime service and its own channels',
})

export const agentBroadcastingAuth = operation({
  ...callback,
  name: 'agent:broadcasting:auth',
  method: 'POST',
  path: '/agent/broadcasting/auth',
  kind: 'raw',
  input: z.strictObject({
    socket_id: z.string().regex(/^\d{1,20}\.\d{1,20}$/, 'must be two numbers joined by a dot'),
    channel_name: z.string().min(1).max(200),
    /** Of the agent. */
    version: z
      .string()
      .regex(/^[0-9A-Za-z.+-]{1,32}$/, 'must be 1 to 32 letters, digits, dots, plus signs or hyphens')
      .nullable()
      .default(null),
  }),
  output: channelSignature,
  errors: ['agent.channel_forbidden', 'realtime.not_configured'],
  summary: 'Authorize an agent for one of its own channels',
})

export const agentWorkspaceList = operation({
  ...callback,
  name: 'agent:workspace:list',
  method: 'GET',
  path: '/agent/workspaces',
  input: z.strictObject(none),
  output: z.array(agentWorkspace).max(AGENT_WORKSPACES_MAX),
  summary: 'List the task workspaces that an agent watches',
})

export const agentLogStreamList = operation({
  ...callback,
  name: 'agent:log-stream:list',
  method: 'GET',
  path: '/agent/log-streams',
  input: z.strictObject(none),
  output: z.array(agentLogStream).max(AGENT_LOG_STREAMS_MAX),
  summary: 'List the live logs that an agent should read',
})

export const agentOperations = {
  agentRealtimeShow,
  agentBroadcastingAuth,
  agentWorkspaceList,
  agentLogStreamList,
}
