"""``cluster.yaml`` is what ``ray up`` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).resolve().parents[2] / "cluster.yaml"


def prepared(**provider: Any) -> dict[str, Any]:
    from ray.autoscaler._private.util import prepare_config, validate_config

    config = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    config["provider"] |= provider
    config = prepare_config(config)
    validate_config(config)
    return dict(config)


def test_ray_up_accepts_the_file_for_the_home_box() -> None:
    config = prepared()
    assert config["provider"]["type"] == "local"
    assert config["provider"]["head_ip"] == "127.0.0.1"
    assert config["max_workers"] == 0
    assert config["head_start_ray_commands"][-1] == "make -C ~/laoma up"


def test_ray_up_accepts_it_with_more_nodes() -> None:
    config = prepared(head_ip="192.168.1.20", worker_ips=["192.168.1.21", "192.168.1.22"])
    assert config["available_node_types"]["local.cluster.node"]["max_workers"] == 2
