"""Metadata routing of meta-estimators: which estimators get the sample weights."""

from sklearn.base import MetaEstimatorMixin
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)

from ._sklearn_compat import _raise_for_params
from ._validation import routes_metadata


def the_weights(metadata, model, method):
    """Return the weights among the metadata of a method, or None; refuse other metadata."""
    others = sorted(metadata.keys() - {"sample_weight"})
    if others:
        raise ValueError(
            f"{type(model).__name__} passes only sample_weight to its estimator, which requests "
            f"{others}. Set these requests to False, for example with "
            f"set_{method}_request({others[0]}=False)."
        )
    return metadata.get("sample_weight")


class WeightRouter(MetaEstimatorMixin):
    """Mixin of a model that trains ``estimator``, with the sample weights if it requests them.

    A subclass sets ``_trained_by``, the method of the estimator that each of its own calls, and
    ``_default``, the class of the estimator if the parameter is None, which gets the weights.
    """

    def get_metadata_routing(self):
        """Return the metadata routing of this object.

        Returns
        -------
        routing : MetadataRouter
            Requests of this object, and those of ``estimator`` for the methods that train it.
        """
        is_default, mapping = self.estimator is None, MethodMapping()
        requests = get_routing_for_object(self._default() if is_default else self.estimator)
        for caller, callee in self._trained_by.items():
            mapping.add(caller=caller, callee=callee)
            if is_default:
                getattr(requests, callee).add_request(param="sample_weight", alias=True)
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(estimator=requests, method_mapping=mapping)

    def _routed_weights(self, method, sample_weight, params):
        """Return the weights with which a method trains the estimator, None for none."""
        if not routes_metadata():
            _raise_for_params(params, self, method)
            return sample_weight
        given = params if sample_weight is None else {"sample_weight": sample_weight, **params}
        if not given:
            return None
        routed = process_routing(self, method, **given)
        trained_by = self._trained_by[method]
        return the_weights(routed["estimator"][trained_by], self, trained_by)
