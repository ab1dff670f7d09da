"""Runs the servers of an object store (OpenStack Swift) in one process.

A test needs a real store, but not four processes of it: each start takes two seconds of CPU time,
and nothing that a test stops is a part of the store alone.

Usage: object-store.py FOLDER PORT CLOCK_SKEW_SECONDS
"""

import array
import os
import sys
import time

import eventlet
import eventlet.wsgi
from swift.common import utils, wsgi
from swift.common.ring.ring import RingData

KINDS = ['account', 'container', 'object']
HOST = '127.0.0.1'
# A busy machine must not fail a test: by default a server that does not accept a connection within
# half a second is left out for a minute, and an object whose listing takes a second is not listed.
SETTINGS = {
    'conn_timeout': 60,
    'node_timeout': 120,
    'recoverable_node_timeout': 120,
    'container_update_timeout': 60,
    'error_suppression_limit': 1000000,
    # Large objects cost less in larger pieces.
    'network_chunk_size': 1048576,
    'disk_chunk_size': 1048576,
    'object_chunk_size': 1048576,
    'client_chunk_size': 1048576,
}
FILTERS = ['catch_errors', 'gatekeeper', 'healthcheck', 'cache', 'listing_formats', 'bulk', 's3api']
AUTHORIZED_FILTERS = ['tempauth', 'copy', 'slo', 'dlo']


class MemoryCache:
    """What the proxy remembers of accounts and containers, instead of in a memcached."""

    def __init__(self):
        self.values = {}

    def set(self, key, value, time=0, **_):
        self.values[key] = (value, now() + time if time else float('inf'))

    def get(self, key, **_):
        value, until = self.values.get(key, (None, 0))
        return value if now() < until else None

    def delete(self, key, **_):
        self.values.pop(key, None)


now = time.monotonic


def cache_factory(_global_settings, **_settings):
    cache = MemoryCache()

    def add_cache(app):
        def handle(env, start_response):
            env['swift.cache'] = cache
            return app(env, start_response)

        return handle

    return add_cache


def section(name, settings):
    return '\n'.join([f'[{name}]', *(f'{key} = {value}' for key, value in settings.items()), ''])


def start(kind, folder, sock, pipeline, *sections):
    """Starts a server that accepts connections of this socket."""
    path = os.path.join(folder, f'{kind}-server.conf')
    common = {
        'devices': os.path.join(folder, 'node'),
        'mount_check': 'false',
        'swift_dir': folder,
        'log_level': 'ERROR',
        'fallocate_reserve': 0,
        **SETTINGS,
    }
    with open(path, 'w') as file:
        file.write(
            '\n'.join(
                [
                    section('DEFAULT', common),
                    section('pipeline:main', {'pipeline': ' '.join(pipeline)}),
                    *sections,
                ]
            )
        )
    app = wsgi.loadapp(path, {'log_name': f'{kind}-server'})
    # `run_server` of Swift would end the event loop of the servers before.
    return eventlet.spawn(
        eventlet.wsgi.server,
        sock,
        app,
        utils.NullLogger(),
        protocol=wsgi.SwiftHttpProtocol,
        socket_timeout=60,
        capitalize_response_headers=False,
    )


def start_storage(kind, folder):
    """Starts one of the servers that have the data, and writes the ring that leads to it."""
    sock = eventlet.listen((HOST, 0))
    port = sock.getsockname()[1]
    address = {'ip': HOST, 'port': port, 'replication_ip': HOST, 'replication_port': port}
    device = {'id': 0, 'region': 1, 'zone': 1, 'device': 'd1', 'weight': 1, 'meta': '', **address}
    RingData([array.array('H', [0] * 16)], [device], 28).save(
        os.path.join(folder, f'{kind}.ring.gz')
    )
    app = {'use': f'egg:swift#{kind}', 'replication_concurrency': 0}
    return start(kind, folder, sock, [f'{kind}-server'], section(f'app:{kind}-server', app))


def start_proxy(folder, port, clock_skew_seconds):
    settings = {
        'cache': {'paste.filter_factory': '__main__:cache_factory'},
        'tempauth': {'use': 'egg:swift#tempauth', 'user_test_tester': 'testing .admin'},
        's3api': {
            'use': 'egg:swift#s3api',
            'location': 'us-east-1',
            'allowable_clock_skew': clock_skew_seconds,
        },
    }
    app = {
        'use': 'egg:swift#proxy',
        'allow_account_management': 'true',
        'account_autocreate': 'true',
    }
    filters = [*FILTERS, *AUTHORIZED_FILTERS]
    sections = [
        section(f'filter:{name}', settings.get(name, {'use': f'egg:swift#{name}'}))
        for name in filters
    ]
    pipeline = [*filters, 'proxy-server']
    # A connection that the previous process accepted may still use the port.
    sock = eventlet.listen((HOST, port), reuse_addr=True)
    return start('proxy', folder, sock, pipeline, section('app:proxy-server', app), *sections)


def main(folder, port, clock_skew_seconds):
    eventlet.hubs.use_hub(utils.get_hub())
    utils.eventlet_monkey_patch()
    servers = [start_storage(kind, folder) for kind in KINDS]
    servers.append(start_proxy(folder, int(port), clock_skew_seconds))
    for server in servers:
        server.wait()


main(*sys.argv[1:])
