import type { Core } from '../../core/runtime/core.ts'
import { version } from '../../core/runtime/version.ts'
import { DEVICE_CODE_GRANT } from '../oauth/device-client.ts'
import { paths } from '../oauth/provider.ts'
import {
  resourceMetadataUrl,
  resourceOf,
  serverNames,
  type ToolServer,
  toolServers,
} from './tool-servers.ts'

/**
 * RFC 8414. Some clients look for the document under the path of the server they want to reach;
 * its issuer then has that path too.
 */
export function authorizationServer({ addresses }: Core, server?: ToolServer) {
  const { mcp_auth_url: issuer } = addresses
  const servers = server ? [server] : toolServers
  return {
    issuer: server ? `${issuer}${server.path}` : issuer,
    authorization_endpoint: `${issuer}${paths.authorization}`,
    token_endpoint: `${issuer}${paths.token}`,
    registration_endpoint: `${issuer}${paths.registration}`,
    device_authorization_endpoint: `${issuer}${paths.device_authorization}`,
    revocation_endpoint: `${issuer}${paths.revocation}`,
    jwks_uri: `${issuer}${paths.jwks}`,
    scopes_supported: servers.flatMap(({ scopes }) => scopes),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
    revocation_endpoint_auth_methods_supported: [
      'none',
      'client_secret_post',
      'client_secret_basic',
    ],
    client_id_metadata_document_supported: true,
    // Authorization responses name the issuer without a path.
    authorization_response_iss_parameter_supported: !server,
    service_documentation: `${issuer}/docs/agents`,
  }
}

/** The fields that OpenID clients require. The service issues no ID tokens. */
export const openidConfiguration = (core: Core) => ({
  ...authorizationServer(core),
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['EdDSA'],
})

/** RFC 9728. */
export const protectedResource = (core: Core, server: ToolServer) => ({
  resource: resourceOf(core.addresses, server),
  resource_name: serverNames(core, server).title,
  authorization_servers: [core.addresses.mcp_auth_url],
  scopes_supported: server.scopes,
  bearer_methods_supported: ['header'],
  resource_documentation: `${core.addresses.web_url}/docs/agents`,
})

export const serverCard = (core: Core, server: ToolServer) => ({
  ...serverNames(core, server),
  version,
  description: server.instructions,
  url: resourceOf(core.addresses, server),
  transport: 'streamable-http',
  protocol_versions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
  documentation: `${core.addresses.web_url}/docs/agents`,
  authentication: {
    schemes: ['oauth2', 'bearer'],
    key_prefix: server.kind === 'agent' ? 'svc_mcp_' : 'svc_play_',
    scopes: server.scopes,
    resource_metadata: resourceMetadataUrl(core.addresses, server),
  },
  tools: server.tools.map(({ name, title, description }) => ({ name, title, description })),
  deprecations: [] as string[],
})
