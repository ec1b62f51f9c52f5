# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of scikit-learn, LightGBM and XGBoost, trained on digits, for exports.py."""

import dataclasses
import functools
from typing import Any

import numpy as np

#
# Pipelines
#


@functools.lru_cache(maxsize=None)
def _digits():
    from sklearn.datasets import load_digits
    x, y = load_digits(return_X_y=True)
    return (x / 16).astype(np.float32), y


def _sklearn(module, name, **options):
    def make():
        import importlib
        return getattr(importlib.import_module(f"sklearn.{module}"), name)(**options)
    return make


def _after(step, last):
    """A pipeline of two steps."""
    def make():
        from sklearn.pipeline import make_pipeline
        return make_pipeline(step(), last())
    return make


def _boosted(package, name, **options):
    def make():
        import importlib
        return getattr(importlib.import_module(package), name)(n_estimators=8, **options)
    return make


@dataclasses.dataclass
class Pipeline:
    make: Any
    target: str = "class"
    options: Any = None
    columns: int = 20

    def write(self, path):
        """Trains and exports it. The inputs of two runs."""
        x, y = _digits()
        x = np.ascontiguousarray(x[:, 10:10 + self.columns])
        model = self.make()
        targets = y if self.target == "class" else x[:, 0] * 3 + x[:, 3] ** 2 + y / 4
        model.fit(x[400:], targets[400:])
        package = type(model).__module__.split(".")[0]
        if package == "sklearn":
            from skl2onnx import to_onnx
            proto: Any = to_onnx(model, x[:1], options=self.options)
        else:
            import onnxmltools
            from onnxmltools.convert.common.data_types import FloatTensorType
            types = [("x", FloatTensorType([None, self.columns]))]
            proto = getattr(onnxmltools, f"convert_{package}")(model, initial_types=types)
        path.write_bytes(proto.SerializeToString())
        return [[x[:17]], [x[20:21]]]


_PLAIN = {"zipmap": False}
_CLASSIFIERS = {
    "logistic": _sklearn("linear_model", "LogisticRegression", max_iter=200),
    "sgd": _sklearn("linear_model", "SGDClassifier", random_state=0),
    "lda": _sklearn("discriminant_analysis", "LinearDiscriminantAnalysis"),
    "qda": _sklearn("discriminant_analysis", "QuadraticDiscriminantAnalysis", reg_param=0.1),
    "gaussian_nb": _sklearn("naive_bayes", "GaussianNB"),
    "bernoulli_nb": _sklearn("naive_bayes", "BernoulliNB"),
    "multinomial_nb": _sklearn("naive_bayes", "MultinomialNB"),
    "knn": _sklearn("neighbors", "KNeighborsClassifier", n_neighbors=3),
    "svc": _sklearn("svm", "SVC", probability=True, random_state=0),
    "svc_linear": _sklearn("svm", "SVC", kernel="linear"),
    "nu_svc": _sklearn("svm", "NuSVC", nu=0.1),
    "tree": _sklearn("tree", "DecisionTreeClassifier", random_state=0),
    "forest": _sklearn("ensemble", "RandomForestClassifier", n_estimators=12, random_state=0),
    "extra_trees": _sklearn("ensemble", "ExtraTreesClassifier", n_estimators=12, random_state=0),
    "boosting": _sklearn("ensemble", "GradientBoostingClassifier", n_estimators=5, random_state=0),
    "histogram_boosting": _sklearn("ensemble", "HistGradientBoostingClassifier", max_iter=5),
    "bagging": _sklearn("ensemble", "BaggingClassifier", n_estimators=4, random_state=0),
    "adaboost": _sklearn("ensemble", "AdaBoostClassifier", n_estimators=5, random_state=0),
    "mlp": _sklearn("neural_network", "MLPClassifier", hidden_layer_sizes=(24, 16), max_iter=60),
}
_REGRESSORS = {
    "linear": _sklearn("linear_model", "LinearRegression"),
    "ridge": _sklearn("linear_model", "Ridge"), "lasso": _sklearn("linear_model", "Lasso", alpha=0.01),
    "elastic_net": _sklearn("linear_model", "ElasticNet", alpha=0.01),
    "bayesian_ridge": _sklearn("linear_model", "BayesianRidge"),
    "poisson": _sklearn("linear_model", "PoissonRegressor"),
    "svr": _sklearn("svm", "SVR"), "knn_regressor": _sklearn("neighbors", "KNeighborsRegressor"),
    "tree_regressor": _sklearn("tree", "DecisionTreeRegressor", random_state=0),
    "forest_regressor": _sklearn("ensemble", "RandomForestRegressor", n_estimators=12, random_state=0),
    "boosting_regressor": _sklearn("ensemble", "GradientBoostingRegressor", n_estimators=12),
    "histogram_regressor": _sklearn("ensemble", "HistGradientBoostingRegressor", max_iter=8),
    "mlp_regressor": _sklearn("neural_network", "MLPRegressor", hidden_layer_sizes=(24,), max_iter=60),
    "gaussian_process": _sklearn("gaussian_process", "GaussianProcessRegressor", alpha=0.1),
}
_STEPS = {
    "standard_scaler": _sklearn("preprocessing", "StandardScaler"),
    "min_max_scaler": _sklearn("preprocessing", "MinMaxScaler"),
    "robust_scaler": _sklearn("preprocessing", "RobustScaler"),
    "normalizer": _sklearn("preprocessing", "Normalizer"),
    "binarizer": _sklearn("preprocessing", "Binarizer", threshold=0.5),
    "polynomial": _sklearn("preprocessing", "PolynomialFeatures", degree=2),
    "bins": _sklearn("preprocessing", "KBinsDiscretizer", n_bins=4),
    "pca": _sklearn("decomposition", "PCA", n_components=8),
    "svd": _sklearn("decomposition", "TruncatedSVD", n_components=8),
    "imputer": _sklearn("impute", "SimpleImputer"),
    "select": _sklearn("feature_selection", "VarianceThreshold", threshold=0.01),
}
PIPELINES = {
    **{name: Pipeline(make, options=_PLAIN) for name, make in _CLASSIFIERS.items()},
    "forest_maps": Pipeline(_CLASSIFIERS["forest"]),
    **{name: Pipeline(make, "number") for name, make in _REGRESSORS.items()},
    **{f"{name}_logistic": Pipeline(_after(make, _CLASSIFIERS["logistic"]), options=_PLAIN)
       for name, make in _STEPS.items()},
    "kmeans": Pipeline(_sklearn("cluster", "KMeans", n_clusters=4, n_init=1, random_state=0)),
    "isolation_forest": Pipeline(_sklearn("ensemble", "IsolationForest", n_estimators=8, random_state=0)),
    "lightgbm": Pipeline(_boosted("lightgbm", "LGBMClassifier", verbose=-1)),
    "lightgbm_regressor": Pipeline(_boosted("lightgbm", "LGBMRegressor", verbose=-1), "number"),
    "xgboost": Pipeline(_boosted("xgboost", "XGBClassifier")),
    "xgboost_regressor": Pipeline(_boosted("xgboost", "XGBRegressor"), "number"),
}
