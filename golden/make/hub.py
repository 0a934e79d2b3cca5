#!/usr/bin/env python3
"""Which model a pasted text names, and which proxy an address is reached through: golden/vectors/hub.json.

huggingface_hub answers the first, the HTTP client that it uses the second.
"""
import os

import httpx2
from huggingface_hub.errors import HfUriError
from huggingface_hub.utils import parse_hf_uri

import io_json

ENDPOINT = 'http://hub.example:8080/hf'
COMMIT = '0123456789abcdef0123456789abcdef01234567'

HUBS = ('https://huggingface.co/', 'http://huggingface.co/', 'HTTPS://HuggingFace.co/', 'huggingface.co/', 'hf.co/', 'https://hf.co/',
        f'{ENDPOINT}/', 'hub.example:8080/hf/'.replace(':8080', ''))
PAGES = ('owner/name', 'owner/name/', 'owner/name/tree/main', 'owner/name/tree/v1.0/', 'owner/name/tree/refs%2Fpr%2F3', 'owner/name/tree/refs/pr/3',
         'owner/name/blob/main/config.json', 'owner/name/blob/feature%2Fx/a/b%20c.json', f'owner/name/resolve/{COMMIT}/model.safetensors?download=true',
         f'owner/name/tree/{COMMIT}', 'owner/name/raw/main/README.md', 'owner/name/blame/main/README.md', 'owner/name?library=transformers', 'owner/name#usage',
         'owner/name/tree', 'models/owner/name', 'owner//name', 'owner', '', 'datasets/owner/name', 'spaces/owner/name', 'owner/name/unknown/x', 'ow ner/name')
URIS = ('hf://owner/name', 'hf://models/owner/name', 'hf://owner/name@v1.0', 'hf://owner/name@refs/pr/3', 'hf://owner/name@refs/pr/3/config.json',
        'hf://owner/name@feature%2Fx/config.json', 'hf://owner/name/config.json', 'hf://owner/name/', 'hf://owner', 'hf://', 'hf://datasets/owner/name',
        'hf://owner/name@', 'https://example.com/owner/name', 'https://huggingface.co.example.com/owner/name', 'https://example.com/huggingface.co/owner/name',
        'ftp://huggingface.co/owner/name', 'file:///owner/name')


def names():
    for text in dict.fromkeys([hub + page for hub in HUBS for page in PAGES] + list(URIS)):
        try:
            uri = parse_hf_uri(text, endpoint=ENDPOINT)
            assert uri.type == 'model'
            yield {'text': text, 'name': uri.id, 'revision': uri.revision}
        except (HfUriError, AssertionError):
            yield {'text': text, 'name': None, 'revision': None}


HTTPS, HTTP, ALL = 'http://secure:3128', 'http://plain:3129', 'http://any:3130'
ADDRESSES = ('https://huggingface.co/x', 'http://huggingface.co/x', 'https://cdn.huggingface.co/x', 'https://nothuggingface.co/x', 'https://huggingface.co:8443/x',
             'http://127.0.0.1/x', 'http://10.1.2.3:80/x', 'https://10.9.9.9/x', 'http://[::1]:8000/x', 'http://[fd00::7]/x', 'http://localhost:8000/x')
ENVIRONMENTS = (
    {}, {'HTTPS_PROXY': HTTPS}, {'https_proxy': HTTPS}, {'HTTP_PROXY': HTTP}, {'http_proxy': HTTP}, {'ALL_PROXY': ALL}, {'all_proxy': ALL}, {'Https_Proxy': HTTPS},
    {'HTTPS_PROXY': HTTP, 'https_proxy': HTTPS}, {'HTTPS_PROXY': HTTPS, 'https_proxy': ''}, {'HTTPS_PROXY': '', 'ALL_PROXY': ALL}, {'https_proxy': HTTPS, 'ALL_PROXY': ALL},
    {'HTTPS_PROXY': 'secure:3128'}, {'HTTPS_PROXY': 'http://user:pa%40ss@secure:3128/'}, {'HTTPS_PROXY': 'user:pass@secure:3128'}, {'HTTPS_PROXY': 'secure'}, {'HTTPS_PROXY': 'http://[::1]:3128'},
    {'HTTP_PROXY': HTTP, 'REQUEST_METHOD': 'GET'}, {'http_proxy': HTTP, 'REQUEST_METHOD': 'GET'},
    *({'ALL_PROXY': ALL, name: value} for name, value in (
        ('NO_PROXY', '*'), ('no_proxy', '*'), ('NO_PROXY', 'x, * ,y'), ('NO_PROXY', 'huggingface.co'), ('NO_PROXY', '.huggingface.co'), ('NO_PROXY', '*.huggingface.co'),
        ('NO_PROXY', 'HuggingFace.co'), ('NO_PROXY', 'gface.co'), ('NO_PROXY', 'co'), ('NO_PROXY', ' localhost , 127.0.0.1 '), ('NO_PROXY', '10.0.0.0/8'), ('NO_PROXY', '10.1.2.3'), ('NO_PROXY', '10.1.0.0/33'),
        ('NO_PROXY', '::1'), ('NO_PROXY', '[::1]'), ('NO_PROXY', 'fd00::/8'), ('NO_PROXY', 'huggingface.co:8443'), ('NO_PROXY', 'https://huggingface.co'), ('NO_PROXY', ','), ('NO_PROXY', ''))),
    {'ALL_PROXY': ALL, 'NO_PROXY': '*', 'no_proxy': 'localhost'},
)


def proxies():
    for environment in ENVIRONMENTS:
        saved = dict(os.environ)
        try:
            for name in [name for name in os.environ if name.lower().endswith('_proxy') or name == 'REQUEST_METHOD']:
                del os.environ[name]
            os.environ.update(environment)
            with httpx2.Client() as client:
                yield {'environment': environment, 'through': [proxy(client, address) for address in ADDRESSES]}
        finally:
            os.environ.clear()
            os.environ.update(saved)


def proxy(client, address):
    """The proxy's host:port, and the Proxy-Authorization that it gets, if any."""
    pool = client._transport_for_url(httpx2.URL(address))._pool
    url = getattr(pool, '_proxy_url', None)
    if url is None:
        return None
    authorization = dict(pool._proxy_headers).get(b'Proxy-Authorization', b'')
    return f'{url.host.decode()}:{url.port or 80} {authorization.decode()}'.strip()


def main():
    io_json.write_vectors('hub.json', {
        'format': 'names: which model (null: none) at which revision (null: none given) a text names where HF_ENDPOINT is `endpoint`. '
                  'proxies: what each of `addresses` is reached through in an environment: host:port and Proxy-Authorization, null for nothing in between.',
        'endpoint': ENDPOINT, 'names': list(names()), 'addresses': list(ADDRESSES), 'proxies': list(proxies())}, ['huggingface_hub', 'httpx2'], 'hub.py')


if __name__ == '__main__':
    main()
