"""Hook of MkDocs: links that leave docs/ lead to the repository, and anchors are GitHub's."""

import posixpath
import re

LINK = re.compile(r"(\]\()((?:\.\./)+[^)#\s]*|decisions)(#[^)\s]*)?\)")


def on_config(config):
    config.mdx_configs.setdefault("toc", {})["slugify"] = slug
    return config


def slug(text, separator):
    return re.sub(r"[^\w -]", "", text.lower()).replace(" ", separator)


def on_page_markdown(markdown, page, config, files):
    directory = posixpath.dirname(page.file.src_uri)

    def repository(match):
        target = posixpath.normpath(posixpath.join("docs", directory, match.group(2)))
        inside = target.startswith("docs/") and posixpath.splitext(target)[1]
        if inside:
            return match.group(0)
        return f"{match.group(1)}{config.repo_url}/blob/main/{target}{match.group(3) or ''})"

    return LINK.sub(repository, markdown)
